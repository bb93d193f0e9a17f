import { empty, lines, total } from "./cart.js";
import { find, money } from "./catalog.js";

const form = document.querySelector("#checkout");
const summary = document.querySelector("#summary");

for (const line of lines()) {
  const item = document.createElement("li");
  item.textContent = `${line.quantity} × ${find(line.id).name}`;
  summary.append(item);
}
if (!summary.children.length) summary.innerHTML = "<li>Nothing yet, but you can try the form.</li>";

const DELIVERY = { pickup: 0, bike: 3.5 };

function showTotal() {
  const delivery = DELIVERY[new FormData(form).get("delivery")];
  document.querySelector("#total").textContent = money(total() + delivery);
}
form.addEventListener("change", showTotal);
showTotal();

// The shop delivers from tomorrow on.
const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
document.querySelector("#day").min = tomorrow.toISOString().slice(0, 10);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const data = new FormData(form);
  const order = { name: data.get("name"), delivery: data.get("delivery"), day: data.get("day") };
  sessionStorage.setItem("corner-store.order", JSON.stringify(order));
  empty();
  location.href = "thanks.html";
});
