import { money, picture, products } from "./catalog.js";

const query = (new URLSearchParams(location.search).get("q") ?? "").trim();
document.querySelector("#search").value = query;

const matches = products.filter((product) =>
  `${product.name} ${product.kind} ${product.note}`.toLowerCase().includes(query.toLowerCase()),
);

document.querySelector("#list-title").textContent = query ? `Results for “${query}”` : "On the shelves today";
document.querySelector("#found").textContent = `${matches.length} ${matches.length === 1 ? "product" : "products"}`;
document.querySelector("#nothing").hidden = matches.length > 0;

const list = document.querySelector("#products");
const template = document.querySelector("#product-card");
for (const product of matches) {
  const card = template.content.cloneNode(true);
  const link = card.querySelector("a");
  link.textContent = product.name;
  link.href = `product.html?id=${product.id}`;
  card.querySelector(".note").textContent = `${product.kind} · ${product.note}`;
  card.querySelector(".price").textContent = money(product.price);
  card.querySelector("li").prepend(picture(product));
  list.append(card);
}
