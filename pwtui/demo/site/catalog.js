/** The products of the shop. Each id is also the name of a symbol in art.svg. */
export const products = [
  { id: "mug", name: "Harbour Mug", price: 14, kind: "Kitchen", tile: "#e3edf3", note: "Stoneware, 350 ml", text: "Thrown by hand and glazed in the blue of the harbour at six in the morning. It keeps coffee warm for longer than most meetings last." },
  { id: "bread", name: "Country Loaf", price: 6.5, kind: "Pantry", tile: "#f6e9d8", note: "Sourdough, 900 g", text: "A slow loaf with a dark crust. It proves for a night, bakes for an hour and is at its best on the second day." },
  { id: "honey", name: "Linden Honey", price: 9, kind: "Pantry", tile: "#faf0d2", note: "Unfiltered, 450 g", text: "From eleven hives behind the old tram depot. Light, with a hint of mint, and never heated." },
  { id: "notebook", name: "Pocket Notebook", price: 11, kind: "Desk", tile: "#ebe6f4", note: "Dotted, 192 pages", text: "Lies flat, takes ink without a fight and fits the back pocket of any trousers worth wearing." },
  { id: "candle", name: "Fig Candle", price: 18, kind: "Home", tile: "#f8e7e2", note: "Soy wax, 40 hours", text: "Green fig and a little cedar. Strong enough for a hallway and gentle enough for a dinner." },
  { id: "tea", name: "Mountain Tea", price: 8, kind: "Pantry", tile: "#e2efe7", note: "Loose leaf, 100 g", text: "A bright green tea from high slopes, rolled on the day that it is picked. Brew it at eighty degrees." },
  { id: "apples", name: "Orchard Apples", price: 4.2, kind: "Pantry", tile: "#f9e4e0", note: "Crisp, 1 kg", text: "Whatever the orchard thinks is best this week. Usually red, always crunchy." },
  { id: "plant", name: "Window Plant", price: 16, kind: "Home", tile: "#e7f0dd", note: "In a clay pot", text: "Forgives a missed watering, likes a north window and grows a new leaf whenever you stop looking." },
];

export const find = (id) => products.find((product) => product.id === id);

export const money = (amount) => `$${amount.toFixed(2)}`;

const SVG = "http://www.w3.org/2000/svg";

/** The coloured tile with a product's picture. */
export function picture(product) {
  const tile = document.createElement("div");
  tile.className = "art";
  tile.style.setProperty("--tile", product.tile);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `art.svg#${product.id}`);
  svg.append(use);
  tile.append(svg);
  return tile;
}
