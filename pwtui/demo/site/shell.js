// What every page of the shop needs: the number in the cart and the name of the customer.
import { showCount } from "./cart.js";

showCount();

const customer = localStorage.getItem("corner-store.customer");
if (customer) {
  for (const link of document.querySelectorAll("[data-account]")) link.textContent = `Hi, ${customer}`;
}
