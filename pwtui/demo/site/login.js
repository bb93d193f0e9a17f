const form = document.querySelector("#login");
const error = document.querySelector("#error");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const data = new FormData(form);
  error.hidden = data.get("password").length >= 4;
  if (!error.hidden) return;
  localStorage.setItem("corner-store.customer", data.get("email").split("@")[0]);
  location.href = "index.html";
});
