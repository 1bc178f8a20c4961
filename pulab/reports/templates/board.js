(function (root) {
  "use strict";
  var data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  var form = root.querySelector("form.filters"), table = root.querySelector("table"), dialog = root.querySelector("dialog");
  var FIXED = 4, RANK = 1, MISSING = 65535, FAILED = 65534, sorted = { column: RANK, up: true }, shown = [], ranks = [], tasks = [];
  var heads = Array.from(table.tHead.rows[0].cells);
  var make = function (tag, text, parent) { var e = document.createElement(tag); if (text) e.textContent = text; if (parent) parent.append(e); return e; };
  // Halves go to the even digit, as in the tables that Python writes
  var hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2, roundingMode: "halfEven" });
  var sum = function (numbers) { return numbers.reduce(function (a, b) { return a + b; }, 0); };
  var bytes = data.values.map(function (text) { return atob(text); }), current = bytes[0];

  // Two bytes: a number's place in those of the chosen setting is that of its task, its learner and its measure
  function code(task, learner, measure, own) {
    var at = 2 * ((task * data.learners.length + learner) * data.measures.length + measure);
    return (own || current).charCodeAt(at) + 256 * (own || current).charCodeAt(at + 1);
  }
  function value(task, learner, measure) {
    var found = code(task, learner, measure);
    if (found >= FAILED) return NaN;
    return data.measures[measure][1] === "seconds" ? data.steps[2] * Math.pow(10, found / data.steps[1]) : found / data.steps[0];
  }
  function text(number, measure) {
    var kind = data.measures[measure][1];
    if (isNaN(number)) return "–";
    if (kind === "seconds") return number < 10 ? String(Number(number.toPrecision(2))) : number.toFixed(0);
    return kind === "score" ? (100 * number).toFixed(1) : number.toFixed(3);
  }
  function median(numbers) {
    var own = numbers.slice().sort(function (a, b) { return a - b; }), half = own.length >> 1;
    return own.length ? (own[half] + own[own.length - 1 - half]) / 2 : NaN;
  }

  function chosen() {
    var ranges = data.percent.map(function (_, k) { return form.elements["fact" + k].value.split(",").map(Number); });
    var by = form.elements.learner.value;
    return data.tasks.map(function (_, k) { return k; }).filter(function (k) {
      var fits = ranges.every(function (range, j) { return range.length < 2 || (data.tasks[k][j + 1] >= range[0] && data.tasks[k][j + 1] < range[1]); });
      return fits && (by === "" || code(k, Number(by), 0) !== MISSING) && data.learners.some(function (_, i) { return code(k, i, 0) !== MISSING; });
    });
  }
  // By task, ranks of learners that have a number of every task, or failed there: those are last
  function ranked(measure) {
    var sign = data.measures[measure][1] === "score" ? -1 : 1;
    var able = data.learners.map(function (own, i) {
      return own[2] && tasks.length > 0 && tasks.every(function (k) { return code(k, i, measure) !== MISSING; });
    });
    return tasks.map(function (k) {
      var keys = able.map(function (ok, i) { var own = code(k, i, measure); return !ok ? NaN : own === FAILED ? Infinity : sign * own; });
      return keys.map(function (key) {
        var same = keys.filter(function (other) { return other === key; }).length;
        return isNaN(key) ? NaN : keys.filter(function (other) { return other < key; }).length + (same + 1) / 2;
      });
    });
  }
  function row(i) {
    var own = ranks.map(function (of) { return of[i]; }), there = own.length > 0 && !isNaN(own[0]);
    var runs = tasks.filter(function (k) { return code(k, i, 0) !== MISSING; }), fails = runs.filter(function (k) { return code(k, i, 0) === FAILED; });
    var won = ranks.map(function (of) {
      var best = Math.min.apply(null, of.filter(function (rank) { return !isNaN(rank); }));
      return of[i] === best ? 1 / of.filter(function (rank) { return rank === best; }).length : 0;
    });
    var means = data.measures.map(function (measure, j) {
      var numbers = tasks.map(function (k) { return value(k, i, j); }).filter(function (number) { return !isNaN(number); });
      return measure[1] === "seconds" ? median(numbers) : numbers.length ? sum(numbers) / numbers.length : NaN;
    });
    var mean = there ? sum(own) / own.length : NaN, wins = there ? sum(won) : NaN;
    var part = data.learners[i][2] ? (runs.length < tasks.length ? runs.length + " of " + tasks.length + " tasks" : "–") : "not ranked";
    return {
      learner: i,
      keys: [data.learners[i][0], mean, wins, fails.length].concat(means),
      texts: ["", there ? hundredths.format(mean) : part, there ? String(Number(wins.toFixed(2))) : "–", String(fails.length)].concat(means.map(text)),
      there: runs.length > 0
    };
  }

  function draw() {
    var column = sorted.column, up = sorted.up, body = table.tBodies[0];
    shown.sort(function (a, b) {
      var x = a.keys[column], y = b.keys[column], order = x < y ? -1 : x > y ? 1 : 0;
      if (typeof x === "number" && isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1; // what has no number is last either way
      return (up ? order : -order) || a.learner - b.learner;
    });
    heads.forEach(function (th, k) {
      if (k === column) th.setAttribute("aria-sort", up ? "ascending" : "descending"); else th.removeAttribute("aria-sort");
    });
    body.textContent = "";
    shown.forEach(function (own) {
      var tr = make("tr", "", body), th = make("th", "", tr), button = make("button", data.learners[own.learner][0], th);
      tr.dataset.learner = own.learner;
      th.scope = "row"; button.type = "button"; button.setAttribute("aria-haspopup", "dialog");
      if (data.learners[own.learner][1]) make("span", " (" + data.learners[own.learner][1] + ")", th).className = "note";
      own.texts.slice(1).forEach(function (cell) { make("td", cell, tr); });
    });
  }
  function rank() {
    current = bytes[form.elements.setting.value];
    tasks = chosen();
    ranks = ranked(Number(form.elements.measure.value));
    shown = data.learners.map(function (_, i) { return row(i); }).filter(function (own) { return own.there; });
    draw();
    var n = ranks.length ? ranks[0].filter(function (own) { return !isNaN(own); }).length : 0;
    form.querySelector("output").textContent = tasks.length ? tasks.length + " of " + data.tasks.length + " tasks, " + n + " learners ranked" : "no task matches";
  }

  function open(i) {
    var body = dialog.querySelector("tbody"), setting = form.elements.setting, measure = form.elements.measure;
    dialog.querySelector("h2").textContent = data.learners[i][0] + ": its tasks, " + setting.selectedOptions[0].textContent + ", ranked by " + measure.selectedOptions[0].textContent;
    body.textContent = "";
    tasks.forEach(function (k, place) {
      if (code(k, i, 0) === MISSING) return;
      var tr = make("tr", "", body), failed = code(k, i, 0) === FAILED, own = ranks[place][i];
      make("th", data.tasks[k][0], tr).scope = "row";
      make("td", isNaN(own) ? "–" : String(own), tr);
      data.measures.forEach(function (_, j) { make("td", failed ? "failed" : text(value(k, i, j), j), tr); });
      data.percent.forEach(function (percent, j) { make("td", ((percent ? 100 : 1) * data.tasks[k][j + 1]).toFixed(0), tr); });
    });
    dialog.querySelectorAll("th[aria-sort]").forEach(function (th) { th.removeAttribute("aria-sort"); });
    dialog.showModal();
  }

  data.learners.forEach(function (own, i) { // those of which some tasks were not run, in some setting
    var whole = bytes.every(function (setting) { return data.tasks.every(function (_, k) { return code(k, i, 0, setting) !== MISSING; }); });
    if (!whole) make("option", own[0], form.elements.learner).value = i;
  });
  table.tHead.addEventListener("click", function (event) {
    var th = event.target.closest("th"), column = heads.indexOf(th);
    if (!event.target.closest("button")) return;
    var high = column === 2 || (column >= FIXED && data.measures[column - FIXED][1] === "score"); // the best one first
    sorted = { column: column, up: sorted.column === column ? !sorted.up : !high };
    draw();
  });
  table.tBodies[0].addEventListener("click", function (event) {
    var tr = event.target.closest("tr");
    tr.querySelector("button").focus({ preventScroll: true }); // where the reader is once the dialog closes
    open(Number(tr.dataset.learner));
  });
  dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  form.addEventListener("input", rank);
  form.addEventListener("reset", function () { setTimeout(rank); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  rank();
})(document.currentScript.parentElement);
