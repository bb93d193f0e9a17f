// Answers one path itself, and sends a request.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (!event.request.url.endsWith("/through-worker")) return;
  event.respondWith(fetch("/echo?by=worker").then(() => new Response("from worker")));
});
