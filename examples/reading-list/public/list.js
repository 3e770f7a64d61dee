// Shows the books of the team, the last ones read from the browser while the new ones are on their way.
const list = document.querySelector("#books");

function show(books) {
  list.replaceChildren(...books.map((book) => Object.assign(document.createElement("li"), { textContent: book.title })));
}

show(JSON.parse(localStorage.getItem("books") ?? "[]"));
const answer = await fetch("https://api.acme.dev/books");
const books = await answer.json();
localStorage.setItem("books", JSON.stringify(books));
show(books);
