const order = JSON.parse(sessionStorage.getItem("corner-store.order") ?? "null");
if (order) {
  const way = order.delivery === "bike" ? "We bring it by bike on" : "You can pick it up on";
  const day = new Date(order.day).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  document.querySelector("#message").textContent = `Thank you, ${order.name}. ${way} ${day}.`;
}
