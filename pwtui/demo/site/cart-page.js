import { empty, lines, remove, total } from "./cart.js";
import { find, money } from "./catalog.js";

const body = document.querySelector("#lines");
const template = document.querySelector("#line");

function show() {
  const current = lines();
  document.querySelector("#full").hidden = current.length === 0;
  document.querySelector("#empty").hidden = current.length > 0;
  document.querySelector("#total").textContent = money(total());
  body.replaceChildren(
    ...current.map((line, index) => {
      const product = find(line.id);
      const row = template.content.cloneNode(true);
      const link = row.querySelector("a");
      link.textContent = product.name;
      link.href = `product.html?id=${product.id}`;
      row.querySelector(".gift").hidden = !line.gift;
      row.querySelector(".quantity").textContent = line.quantity;
      row.querySelector(".sum").textContent = money(product.price * line.quantity);
      const button = row.querySelector("button");
      button.setAttribute("aria-label", `Remove ${product.name}`);
      button.addEventListener("click", () => {
        remove(index);
        show();
      });
      return row;
    }),
  );
}

document.querySelector("#empty-cart").addEventListener("click", () => {
  if (confirm("Take everything out of the cart?")) {
    empty();
    show();
  }
});

show();
