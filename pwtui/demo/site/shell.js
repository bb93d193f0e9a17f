// The parts of every page: header, footer, number of products in the cart, name of the customer.
import { showCount } from "./cart.js";

document.body.insertAdjacentHTML("afterbegin", `
    <a class="skip" href="#main">Skip to content</a>
    <header class="site-header">
      <div class="wrap">
        <a class="brand" href="/index.html"><img src="/favicon.svg" alt="">Corner Store</a>
        <nav class="site-nav" aria-label="Main">
          <ul>
            <li><a href="/index.html">Shop</a></li>
            <li><a href="/journal.html">Journal</a></li>
            <li><a href="/console.html">Back room</a></li>
            <li><a href="/login.html" data-account>Log in</a></li>
            <li><a href="/cart.html">Cart <span class="count" data-cart-count>0</span></a></li>
          </ul>
        </nav>
      </div>
    </header>`);
document.body.insertAdjacentHTML("beforeend", `
    <footer class="site-footer">
      <div class="wrap">
        <p>Corner Store, 12 Mill Lane. Open every day from seven to seven.</p>
        <p>A demo: nothing is sold, and nothing leaves your machine.</p>
      </div>
    </footer>`);

const { section } = document.body.dataset;
document.querySelector(`.site-nav a[href="/${section}.html"]`)?.setAttribute("aria-current", "page");

showCount();

const customer = localStorage.getItem("corner-store.customer");
if (customer) {
  for (const link of document.querySelectorAll("[data-account]")) link.textContent = `Hi, ${customer}`;
}

// Buttons that a script handles wait for it: all modules have run by then.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});
