"""Pages that do their worst, for measurements beside them."""

HOSTILE = {
    "console": "setInterval(() => { for (let i = 0; i < 3000; i++) console.log('x' + i) }, 5)",
    "requests": "setInterval(() => { for (let i = 0; i < 60; i++) "
    "fetch('?' + Math.random()).catch(() => 0) }, 15)",
    "errors": "setInterval(() => { for (let i = 0; i < 300; i++) "
    "setTimeout(() => { throw new Error('e'.repeat(2000)) }) }, 10)",
    "titles": "setInterval(() => { for (let i = 0; i < 300; i++) { document.title = Math.random(); "
    "history.replaceState(0, '', '?' + Math.random()) } }, 10)",
    "frames": "setInterval(() => { for (let i = 0; i < 20; i++) { "
    "const f = document.createElement('iframe'); document.body.append(f); "
    "setTimeout(() => f.remove(), 60) } }, 40)",
    "long messages": "setInterval(y => console.log(y), 200, 'y'.repeat(1e7))",
}
