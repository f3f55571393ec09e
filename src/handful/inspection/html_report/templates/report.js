"use strict";
// Sorts, filters and copies the table of features; without it the page shows everything all the same.
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId("features");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const told = byId("told");
  const isPicture = (cell) => cell.classList.contains("pic");
  const textOf = (cell) => {
    const name = cell.querySelector(".full") || cell.querySelector("bdi");
    return (name || cell).textContent.trim();
  };
  const numberOf = (cell) => {
    const value = parseFloat(cell.textContent);
    return Number.isNaN(value) ? -Infinity : value;
  };

  // --- sorting: each heading becomes a button
  const order = new Intl.Collator(undefined, { numeric: true });
  const headings = Array.from(table.tHead.rows[0].cells);
  const sortBy = (heading, column) => {
    const isNumber = heading.dataset.kind === "number";
    const now = heading.getAttribute("aria-sort");
    const first = isNumber && column > 0 ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const wanted = now === first ? other : first;
    const sign = wanted === "ascending" ? 1 : -1;
    const keys = new Map(rows.map((row) => {
      const cell = row.cells[column];
      return [row, isNumber ? numberOf(cell) : textOf(cell)];
    }));
    const compare = isNumber
      ? (a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : 0)
      : (a, b) => sign * order.compare(keys.get(a), keys.get(b));
    rows.sort(compare);
    body.append(...rows);
    for (const one of headings) one.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", wanted);
    told.textContent = `Sorted by ${heading.textContent.trim()}, ${wanted}.`;
  };
  headings.forEach((heading, column) => {
    if (!heading.dataset.kind) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(heading, column));
  });

  // --- filtering
  const texts = new Map(rows.map((row) => [
    row,
    Array.from(row.cells).filter((cell) => !isPicture(cell)).map(textOf).join("\n").toLowerCase(),
  ]));
  const filter = byId("filter");
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !texts.get(row).includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    told.textContent = `${shown} of ${rows.length} shown.`;
  });

  // --- copying: what is shown, to be pasted into a spreadsheet
  const lines = (text) => text.replace(/[\t\r\n]+/g, " ");
  // A spreadsheet would compute a name such as =1+1.
  const inert = (text) => (/^[=+\-@]/.test(text) ? `'${text}` : text);
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    told.textContent = `Copied ${what}.`;
  };
  const visible = () => rows.filter((row) => !row.hidden);
  byId("copy-table").addEventListener("click", () => {
    const kept = headings.map((heading, column) => [heading, column]).filter(([heading]) => heading.dataset.kind);
    const cells = visible().map((row) => kept.map(([heading, column]) => {
      const text = lines(textOf(row.cells[column]));
      return heading.dataset.kind === "number" ? text : inert(text);
    }).join("\t"));
    const titles = kept.map(([heading]) => lines(heading.textContent.trim())).join("\t");
    copy([titles, ...cells].join("\n"), `${cells.length} rows`);
  });
  byId("copy-names").addEventListener("click", () => {
    const names = visible().map((row) => lines(textOf(row.cells[1])));
    copy(names.join("\n"), `${names.length} names`);
  });
  document.querySelector("[data-tools]").hidden = false;

  // --- dark or light, whatever the system says
  const theme = byId("theme");
  const root = document.documentElement;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });

  // --- on paper everything is open
  const closed = [];
  window.addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details:not([open])")) {
      if (!one.closest("#features")) {
        one.open = true;
        closed.push(one);
      }
    }
  });
  window.addEventListener("afterprint", () => {
    for (const one of closed.splice(0)) one.open = false;
  });
})();
