// Run the user's source: a function (called with the argument), an expression, or statements.
// What it throws comes back as a value, so that nobody has to read error messages to tell whose
// fault it was. Compiling decides which of the three it is; only a SyntaxError asks for the next.
async ({ source, argument }) => {
  const AsyncFunction = (async () => {}).constructor;
  const compile = () => {
    try {
      return new AsyncFunction("arg", `return (${source}\n)`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    try {
      // A trailing semicolon does not make an expression worthless.
      return new AsyncFunction("arg", `return (${source.replace(/[;\s]+$/, "")}\n)`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return new AsyncFunction("arg", source);
  };
  try {
    let value = await compile()(argument);
    if (typeof value === "function") value = await value(argument);
    return { ok: true, value };
  } catch (error) {
    const isError = error instanceof Error;
    return {
      ok: false,
      name: isError ? error.name : typeof error,
      message: isError ? error.message : String(error),
      stack: isError && error.stack ? error.stack : null,
    };
  }
}
