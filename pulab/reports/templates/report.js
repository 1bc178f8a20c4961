(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("cells").textContent);
  var all = function (selector, root) { return Array.from((root || document).querySelectorAll(selector)); };
  var byId = function (id) { return document.getElementById(id); };
  var form = byId("filters"), found = byId("found"), dialog = byId("cell");

  // What a reader can look for: rows of tables with verdicts, and blocks (claims, figures, tables, sections)
  var tables = all("table.cells").map(function (table) {
    return {
      block: table.closest(".block"),
      rows: Array.from(table.tBodies[0].rows).map(function (row) {
        var cells = all("button.cell", row).map(function (button) { return { button: button, of: data.cells[button.id] || {} }; });
        var said = cells.map(function (c) { return [c.of.verdict, c.of.cause, c.of.why && data.reasons[c.of.why - 1], c.of.dataset, c.of.method].join(" "); });
        return { row: row, cells: cells, text: (row.textContent + " " + said.join(" ")).toLowerCase() };
      })
    };
  });
  var inTables = new Set(tables.map(function (t) { return t.block; }));
  var blocks = all(".block").map(function (element) {
    var head = element.cloneNode(true);
    if (inTables.has(element)) all("tbody", head).forEach(function (body) { body.remove(); });
    return { element: element, text: head.textContent.toLowerCase() };
  });
  var textOf = new Map(blocks.map(function (b) { return [b.element, b.text]; }));
  var openBefore = new Map();

  function chosen() {
    var of = Object.fromEntries(new FormData(form).entries());
    of.words = of.text.toLowerCase().split(/\s+/).filter(Boolean);
    return of;
  }
  function holdsAll(text, words) { return words.every(function (word) { return text.includes(word); }); }
  function fits(cell, want) {
    return (!want.counted || cell.counted) &&
      ["verdict", "study", "dataset", "method"].every(function (key) { return !want[key] || cell[key] === want[key]; });
  }
  function open(element) {
    for (var up = element; up; up = up.parentElement) {
      if (up.tagName !== "DETAILS" || up.open) continue;
      if (!openBefore.has(up)) openBefore.set(up, false);
      up.open = true;
    }
  }

  // The cells under "why results differ" that fit; whether there are any
  function listed(element, want, active) {
    var any = false;
    all("details.reason", element).forEach(function (reason) {
      var why = reason.querySelector("summary").textContent.toLowerCase(), left = 0;
      all("li", reason).forEach(function (item) {
        var cell = data.cells[item.querySelector("a").hash.slice(1)] || {};
        item.hidden = active && !(fits(cell, want) && holdsAll(why + " " + item.textContent.toLowerCase(), want.words));
        if (!item.hidden) left += 1;
      });
      reason.hidden = left === 0;
      if (active && left) open(reason);
      any = any || left > 0;
    });
    return any;
  }

  function apply() {
    var want = chosen();
    var active = want.words.length || want.verdict || want.study || want.dataset || want.method || want.counted;
    var ofCells = want.counted || want.dataset || want.method || (want.verdict && !want.verdict.startsWith("claim:"));
    var nCells = 0, nClaims = 0, shown = new Set();
    openBefore.forEach(function (was, element) { element.open = was; });
    openBefore.clear();
    tables.forEach(function (table) {
      var headFits = holdsAll(textOf.get(table.block) || "", want.words), any = false;
      table.rows.forEach(function (row) {
        var textFits = headFits || holdsAll(row.text, want.words), rowFits = false;
        row.cells.forEach(function (cell) {
          var ok = textFits && fits(cell.of, want);
          cell.button.parentElement.classList.toggle("dim", Boolean(active) && !ok);
          if (ok) { rowFits = true; if (cell.of.verdict in signs) nCells += 1; }
        });
        row.row.hidden = Boolean(active) && !(rowFits || (textFits && !ofCells && !row.cells.length));
        any = any || !row.row.hidden;
      });
      if (any) shown.add(table.block);
    });
    blocks.forEach(function (block) {
      var element = block.element, own = element.dataset;
      if (!inTables.has(element)) {
        var ok = holdsAll(block.text, want.words) && (!want.study || !own.study || own.study === want.study);
        if (element.classList.contains("reasons")) {
          ok = listed(element, want, Boolean(active));
        } else if (element.classList.contains("claim")) {
          ok = ok && !want.method && !want.counted && (!want.verdict || own.verdict === want.verdict);
          ok = ok && (!want.dataset || own.datasets.split(" ").includes(want.dataset));
          if (ok) nClaims += 1;
        } else if (want.verdict || want.dataset || want.method || want.counted || (want.study && !own.study && element.id !== "overview")) {
          ok = false;
        }
        if (ok) shown.add(element);
      }
      element.hidden = Boolean(active) && !shown.has(element);
      if (active && !element.hidden && (inTables.has(element) || want.words.length)) open(element);
    });
    all("section, details.group").forEach(function (part) {
      var inner = all(".block", part);
      if (inner.length) part.hidden = Boolean(active) && inner.every(function (b) { return b.hidden; });
    });
    all(".card, #claims h3, h3[id$='-beyond']").forEach(function (part) {
      var study = part.dataset.study || part.id.replace(/-beyond$/, "");
      part.hidden = Boolean(want.study) && study !== want.study;
    });
    all("#claims h3").forEach(function (head) {
      var left = false;
      for (var next = head.nextElementSibling; next && next.tagName === "DETAILS"; next = next.nextElementSibling) left = left || !next.hidden;
      head.hidden = Boolean(active) && !left;
    });
    all("#contents a[href^='#']").forEach(function (link) {
      var target = byId(link.hash.slice(1));
      link.parentElement.hidden = Boolean(active) && Boolean(target) && (target.hidden || Boolean(target.closest("[hidden]")));
    });
    found.textContent = active ? nCells + (nCells === 1 ? " cell, " : " cells, ") + nClaims + (nClaims === 1 ? " claim" : " claims") : "";
    mark(want.words);
  }
  var signs = { "reproduced": 1, "cannot tell": 1, "close": 1, "different": 1, "not judged": 1, "stand-in": 1 };

  // Words that were looked for, marked without a change of the page
  function mark(words) {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!words.length) return;
    var ranges = [], walker = document.createTreeWalker(byId("main"), NodeFilter.SHOW_TEXT), node;
    while ((node = walker.nextNode()) && ranges.length < 2000) {
      var text = node.data.toLowerCase();
      words.forEach(function (word) {
        for (var at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          var range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      });
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  var waiting;
  form.addEventListener("input", function () { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  form.addEventListener("reset", function () {
    if (location.hash.startsWith("#filter:")) history.replaceState(null, "", location.pathname + location.search);
    setTimeout(apply, 0);
  });
  form.addEventListener("submit", function (event) { event.preventDefault(); apply(); });

  // A cell's dialog
  function line(list, name, value) {
    if (value === undefined || value === "") return;
    var term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name;
    if (value instanceof Node) text.append(value); else text.textContent = value;
    list.append(term, text);
  }
  function command(text) {
    var box = document.createElement("div"), pre = document.createElement("pre"), copy = document.createElement("button");
    pre.textContent = text;
    copy.type = "button";
    copy.textContent = "Copy";
    copy.addEventListener("click", function () {
      var range = document.createRange();
      range.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      copy.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
    });
    box.append(pre, copy);
    return box;
  }
  function signed(value) { return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(2); }
  function show(button) {
    var cell = data.cells[button.id];
    if (!cell) return;
    all("button.cell.open").forEach(function (other) { other.classList.remove("open"); });
    button.classList.add("open");
    byId("cell-title").textContent = cell.study + ", " + cell.table + ": " + cell.place;
    var list = dialog.querySelector("dl"), parts = Array.from(button.children);
    list.textContent = "";
    line(list, "Verdict", cell.verdict + (cell.reading ? " (another reading, not counted in the headline)" : ""));
    line(list, "Ours", parts[0] && parts[0].textContent);
    line(list, "Published", parts[1] && !parts[1].classList.contains("sign") ? parts[1].lastChild.textContent : "nothing");
    if (cell.by !== undefined) {
      line(list, "Difference", signed(cell.by) + " points" + (cell.se === undefined ? "" :
        ", 95% interval " + signed(cell.by - 2 * cell.se) + " to " + signed(cell.by + 2 * cell.se)));
    }
    line(list, "Cause", cell.cause);
    line(list, "Why", cell.why && data.reasons[cell.why - 1]);
    line(list, "Note", cell.note);
    line(list, "Repeats", cell.n);
    line(list, "Data set", cell.dataset);
    line(list, "Setting", cell.setting);
    line(list, "Method", cell.method);
    if (cell.seeds) line(list, "Seeds", cell.seeds.join(", ") + (cell.n > cell.seeds.length ? ", … (" + cell.n + " in all, by the rule under Provenance)" : ""));
    line(list, "Run it again", command(cell.command));
    if (!dialog.open) dialog.showModal();
    history.replaceState(null, "", "#" + button.id);
  }
  dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", function () { var cell = document.querySelector("button.cell.open"); if (cell) cell.focus({ preventScroll: true }); });

  // One stop of the Tab key per table; arrows go from cell to cell
  tables.forEach(function (table) {
    var first = table.rows.find(function (row) { return row.cells.length; });
    if (first) first.cells[0].button.tabIndex = 0;
  });
  document.addEventListener("focusin", function (event) {
    if (!event.target.matches("button.cell")) return;
    all("button.cell[tabindex='0']", event.target.closest("table")).forEach(function (other) { other.tabIndex = -1; });
    event.target.tabIndex = 0;
  });
  document.addEventListener("keydown", function (event) {
    var button = event.target.closest && event.target.closest("button.cell");
    var step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!button || !step) return;
    var cell = button.parentElement, row = cell.parentElement, rows = Array.from(row.parentElement.rows), next = null;
    for (var i = rows.indexOf(row) + step[0], j = cell.cellIndex + step[1]; rows[i] && rows[i].cells[j]; i += step[0], j += step[1]) {
      next = rows[i].hidden ? null : rows[i].cells[j].querySelector("button.cell");
      if (next) break;
    }
    event.preventDefault();
    if (next) next.focus();
  });

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button.cell");
    if (button) { show(button); return; }
    var head = event.target.closest("table.sortable thead button");
    if (head) sort(head);
    var link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) goThere();
    if (link) { byId("contents").classList.remove("open"); byId("menu").setAttribute("aria-expanded", "false"); }
  });

  function sort(button) {
    var th = button.closest("th"), table = th.closest("table"), body = table.tBodies[0], column = th.cellIndex;
    var up = th.getAttribute("aria-sort") !== "ascending";
    var key = function (row) {
      var cell = row.cells[column], text = cell ? cell.textContent.trim() : "", number = parseFloat(text.replace("−", "-"));
      return isNaN(number) ? text : number;
    };
    all("th", table.tHead).forEach(function (other) { other.removeAttribute("aria-sort"); });
    th.setAttribute("aria-sort", up ? "ascending" : "descending");
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b), s = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : (typeof x === "number" ? -1 : 1);
      return up ? s : -s;
    }).forEach(function (row) { body.appendChild(row); });
  }

  // Addresses within the page: a cell opens, a filter is set, folded parts unfold
  function goThere() {
    var hash = decodeURIComponent(location.hash.slice(1));
    if (hash.startsWith("filter:")) {
      form.reset();
      new URLSearchParams(hash.slice(7)).forEach(function (value, key) {
        var field = form.elements[key];
        if (field && field.type === "checkbox") field.checked = true; else if (field) field.value = value;
      });
      apply();
      var study = byId(form.elements.study.value);
      if (study) (all(".block:not([hidden])", study)[0] || study).scrollIntoView();
      return;
    }
    var target = byId(hash);
    if (!target) return;
    if (target.closest("[hidden]")) { form.reset(); apply(); }
    for (var up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    target.scrollIntoView({ block: target.matches("button.cell") ? "center" : "start" });
    if (target.matches("button.cell")) show(target);
  }
  window.addEventListener("hashchange", goThere);

  [["menu", "contents"], ["more", "choices"]].forEach(function (pair) {
    byId(pair[0]).addEventListener("click", function () {
      this.setAttribute("aria-expanded", String(byId(pair[1]).classList.toggle("open")));
    });
  });

  // Where the reader is, in the contents
  if (window.IntersectionObserver) {
    var links = new Map(all("#contents a").map(function (a) { return [a.hash.slice(1), a]; })), current;
    var observer = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) {
        if (!entry.isIntersecting) return;
        if (current) current.removeAttribute("aria-current");
        current = links.get(entry.target.id);
        current.setAttribute("aria-current", "true");
      });
    }, { rootMargin: "-10% 0px -80% 0px" });
    links.forEach(function (link, id) { var target = byId(id); if (target) observer.observe(target); });
  }
  if (location.hash) goThere();
})();
