for (const old of box.querySelectorAll("script")) {
  const fresh = document.createElement("script");
  fresh.textContent = old.textContent;
  old.replaceWith(fresh);
}
