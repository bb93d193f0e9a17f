import { find } from "./catalog.js";

const KEY = "corner-store.cart";

/** The lines of the cart: [{ id, quantity, gift }]. */
export function lines() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]").filter((line) => find(line.id));
  } catch {
    return []; // the storage was edited by hand
  }
}

function save(next) {
  localStorage.setItem(KEY, JSON.stringify(next));
  showCount();
}

export function add(id, quantity, gift) {
  const next = lines();
  const same = next.find((line) => line.id === id && line.gift === gift);
  if (same) same.quantity += quantity;
  else next.push({ id, quantity, gift });
  save(next);
}

export function remove(index) {
  save(lines().filter((_, position) => position !== index));
}

export function empty() {
  save([]);
}

export function total() {
  return lines().reduce((sum, line) => sum + find(line.id).price * line.quantity, 0);
}

export function showCount() {
  const count = lines().reduce((sum, line) => sum + line.quantity, 0);
  for (const badge of document.querySelectorAll("[data-cart-count]")) badge.textContent = count;
}
