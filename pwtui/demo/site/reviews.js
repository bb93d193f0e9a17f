const REVIEWS = [
  { who: "Mara", stars: 5, helpful: 12, text: "Exactly as described, and wrapped with more care than my last birthday present." },
  { who: "Jonas", stars: 4, helpful: 7, text: "Very good. One star less because I now want a second one." },
  { who: "Ines", stars: 5, helpful: 3, text: "Bought it on a whim on the way home. No regrets at all." },
  { who: "Theo", stars: 3, helpful: 5, text: "Nice, though smaller than it looks in the picture." },
];

const list = document.querySelector("#list");
const template = document.querySelector("#review");
const sort = document.querySelector("#sort");

function show() {
  const sorted = REVIEWS.toSorted((a, b) => b[sort.value] - a[sort.value]);
  list.replaceChildren(
    ...sorted.map((review) => {
      const item = template.content.cloneNode(true);
      item.querySelector("strong").textContent = review.who;
      const stars = item.querySelector(".stars");
      stars.textContent = "★".repeat(review.stars) + "☆".repeat(5 - review.stars);
      stars.setAttribute("aria-label", `${review.stars} out of 5 stars`);
      item.querySelector("p").textContent = review.text;
      const button = item.querySelector("button");
      button.textContent = `Helpful (${review.helpful})`;
      button.addEventListener("click", () => {
        review.helpful += 1;
        button.textContent = `Helpful (${review.helpful})`;
        button.disabled = true;
      });
      return item;
    }),
  );
}

sort.addEventListener("change", show);
show();
