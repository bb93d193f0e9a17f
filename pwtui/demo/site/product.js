import { add } from "./cart.js";
import { find, money, picture, products } from "./catalog.js";

const product = find(new URLSearchParams(location.search).get("id")) ?? products[0];

document.title = `${product.name} · Corner Store`;
document.querySelector("#picture").replaceWith(picture(product));
document.querySelector("#name").textContent = product.name;
document.querySelector("#crumb").textContent = product.name;
document.querySelector("#note").textContent = `${product.kind} · ${product.note}`;
document.querySelector("#price").textContent = money(product.price);
document.querySelector("#text").textContent = product.text;
document.querySelector("#reviews").src = `reviews.html?id=${product.id}`;

document.querySelector("#buy").addEventListener("submit", (event) => {
  event.preventDefault();
  const quantity = Number(document.querySelector("#quantity").value);
  const gift = document.querySelector("#gift").checked;
  add(product.id, quantity, gift);
  const status = document.querySelector("#added");
  status.querySelector("span").textContent = `Added ${quantity} × ${product.name}${gift ? ", gift wrapped" : ""}.`;
  status.hidden = false;
});
