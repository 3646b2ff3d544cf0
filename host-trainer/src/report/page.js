"use strict";
for (const game of document.querySelectorAll(".game")) {
  const boards = game.dataset.boards.split(" ");
  const moves = game.dataset.moves.split(" ");
  const men = game.querySelector(".men");
  const marks = game.querySelector(".marks");
  const slider = game.querySelector("input");
  const cursor = game.querySelector(".cursor");
  const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const make = (name, fields) => {
    const element = document.createElementNS(men.namespaceURI, name);
    for (const [key, value] of Object.entries(fields)) element.setAttribute(key, value);
    return element;
  };
  const show = (ply) => {
    ply = Math.max(0, Math.min(boards.length - 1, ply));
    slider.value = ply;
    men.replaceChildren();
    boards[ply].split("/").forEach((rank, row) => {
      let column = 0;
      for (const letter of rank) {
        if (letter >= "1" && letter <= "8") { column += Number(letter); continue; }
        const side = letter < "a" ? "white" : "black";
        men.append(make("use", { class: side, href: "#" + names[letter.toLowerCase()], x: 45 * column, y: 45 * row }));
        column += 1;
      }
    });
    marks.replaceChildren();
    if (ply > 0) for (const square of moves[ply - 1].match(/../g) || []) {
      const x = 45 * (square.charCodeAt(0) - 97), y = 45 * (8 - Number(square[1]));
      marks.append(make("rect", { x, y, width: 45, height: 45 }));
    }
    for (const move of game.querySelectorAll(".san")) move.classList.toggle("now", Number(move.dataset.ply) === ply);
    const now = game.querySelector(".san.now");
    if (now) now.parentElement.scrollTop = now.offsetTop - now.parentElement.offsetTop - 60;
    if (cursor) {
      const x = 360 * Math.max(0, ply - 0.5) / Math.max(1, boards.length - 1);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  };
  const step = (how) => {
    const now = Number(slider.value);
    show({ first: 0, back: now - 1, on: now + 1, last: boards.length - 1 }[how]);
  };
  game.addEventListener("click", (event) => {
    if (event.target.dataset.step) step(event.target.dataset.step);
    if (event.target.dataset.ply) show(Number(event.target.dataset.ply));
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  game.addEventListener("keydown", (event) => {
    const how = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (how) { step(how); event.preventDefault(); }
  });
  show(Number(slider.value));
}
