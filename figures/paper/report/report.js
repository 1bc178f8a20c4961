(function () {
  "use strict";
  var byId = function (id) { return document.getElementById(id); };
  var all = function (selector, root) { return Array.from((root || document).querySelectorAll(selector)); };
  var cells = unpacked(JSON.parse(byId("cells").textContent)), names = {"labels":{"adapu":"Ada-PU","adapu_best":"Ada-PU, all thresholds","adapu_cnn":"Ada-PU on CNN features","bagging":"PU bagging","dedpul":"DEDPUL, boosting","dedpul_mlp":"DEDPUL, network","dedpul_trees":"DEDPUL, trees","elkan_noto_mlp":"Elkan and Noto, network","get_ensemble":"GetEnsemble","lbe":"LBE","lf_adapu":"Ada-PU","lf_all_negative":"all unlabeled as negative","lf_all_positive":"all positive","lf_auc_boosting":"AUC boosting","lf_bagging_hgb":"PU bagging, gradient boosting","lf_bagging_lr":"PU bagging, logistic regression","lf_bagging_rf":"PU bagging, random forest","lf_bagging_svm":"bagging SVM","lf_bagging_tree":"PU bagging, trees","lf_biased":"SAR-EM","lf_boosting":"PU gradient boosting","lf_cvir":"CVIR","lf_cwsvm":"class-weighted SVM","lf_dedpul":"DEDPUL","lf_elkan_noto_hgb":"Elkan and Noto, gradient boosting","lf_elkan_noto_lr":"Elkan and Noto, logistic regression","lf_elkan_noto_rf":"Elkan and Noto, random forest","lf_get_ensemble":"GetEnsemble","lf_lbe":"LBE","lf_naive_hgb":"naive, gradient boosting","lf_naive_lr":"naive, logistic regression","lf_naive_rf":"naive, random forest","lf_nnpu":"nnPU, MLP","lf_one_class":"one class","lf_opu":"OPU","lf_pu_et":"PU extra trees","lf_pu_svm":"mapping convergence","lf_pu_toolbox_nnpu":"pu-toolbox 1.11: nnPU, linear","lf_pu_tree":"PU tree","lf_pulearn_bagging":"pulearn 0.2: PU bagging","lf_pulearn_elkan_noto":"pulearn 0.2: Elkan and Noto, random forest","lf_pusb":"PUSB","lf_random_share":"share \u03c0 at random","lf_resvm":"RESVM","lf_self_pu":"Self-PU","lf_supervised_hgb":"supervised, gradient boosting","lf_supervised_lr":"supervised, logistic regression","lf_supervised_rf":"supervised, random forest","lf_two_step":"two steps, logistic regression","lf_upu":"uPU, double hinge","lf_upu_gaussian":"uPU, Gaussian basis","lf_upu_logistic":"uPU, logistic","lf_upu_mlp":"uPU, MLP","lf_vpu":"VPU","naive_et":"NaivePUET","nnpu":"nnPU","nnpu_bench":"nnPU","nnpu_cnn":"nnPU, CNN","nnpu_linear":"nnPU, linear","nnpu_mlp":"nnPU, MLP","opu_batch_dh":"extended OPU, double hinge","opu_batch_dh_eq6":"extended OPU, double hinge, eq. 6","opu_batch_dh_no_bias":"extended OPU, double hinge, no bias","opu_batch_dh_passes":"extended OPU, double hinge, 50 passes","opu_batch_dh_plain":"extended OPU, double hinge, plain steps","opu_batch_sl":"extended OPU, square","opu_batch_sl_eq6":"extended OPU, square, eq. 6","opu_batch_sl_no_bias":"extended OPU, square, no bias","opu_batch_sl_passes":"extended OPU, square, 50 passes","opu_batch_sl_plain":"extended OPU, square, plain steps","opu_dh":"OPU, double hinge","opu_dh_100_passes":"OPU, double hinge, 100 passes","opu_dh_20_passes":"OPU, double hinge, 20 passes","opu_dh_5_passes":"OPU, double hinge, 5 passes","opu_dh_eq6":"OPU, double hinge, eq. 6","opu_dh_no_bias":"OPU, double hinge, no bias","opu_dh_no_projection":"OPU, double hinge, no projection","opu_exact_dh":"extended OPU, double hinge, sub-problems solved","opu_exact_lr":"extended OPU, logistic, sub-problems solved","opu_exact_sl":"extended OPU, square, sub-problems solved","opu_lr":"OPU, logistic","opu_sl":"OPU, square","opu_sl_eq6":"OPU, square, eq. 6","opu_sl_no_bias":"OPU, square, no bias","pn_adaboost":"AdaBoost","pn_et":"PN ET (pulib)","pn_gbdt":"GBDT","pn_xgboost":"XGBoost","pn_xgboost_old":"XGBoost, \u03bd = 0.1","principal_plane":"two principal components","pu_bagging_et":"PUBaggingET","pu_svm":"PU-SVM","pu_svm_scale":"PU-SVM, \u03b3 by variance","puet_nnpu_logistic":"PU ET, nnPU, logistic","puet_nnpu_quadratic":"PU ET, nnPU, quadratic","puet_twenty":"PU ET","puet_upu_logistic":"PU ET, uPU, logistic","puet_upu_quadratic":"PU ET, uPU, quadratic","random_forest_100":"Random Forests","random_ranking":"Random","resvm_bag":"BAG","resvm_bag_blind":"BAG, blind grid","resvm_cwsvm":"CWSVM","resvm_cwsvm_blind":"CWSVM, blind grid","resvm_cwsvm_hinge":"CWSVM, hinge loss and bias","resvm_resvm":"RESVM","resvm_resvm_blind":"RESVM, blind grid","self_pu":"Self-PU","sgbauc":"SGBAUC, trees not pruned","sgbauc_pruned":"SGBAUC","sgbdota_1":"SGBDota-1, trees not pruned","sgbdota_1_damped":"SGBDota-1, damped step","sgbdota_1_gradient":"SGBDota-1, residuals are the gradient","sgbdota_1_initial":"SGBDota-1, initial weights","sgbdota_1_printed":"SGBDota-1, eq. 10 as published","sgbdota_1_pruned":"SGBDota-1","sgbdota_1_search":"SGBDota-1, line search","sgbdota_2":"SGBDota-2, trees not pruned","sgbdota_2_damped":"SGBDota-2, damped step","sgbdota_2_gradient":"SGBDota-2, residuals are the gradient","sgbdota_2_initial":"SGBDota-2, initial weights","sgbdota_2_printed":"SGBDota-2, eq. 10 as published","sgbdota_2_pruned":"SGBDota-2","sgbdota_2_search":"SGBDota-2, line search","sgbdota_3":"SGBDota-3, trees not pruned","sgbdota_3_damped":"SGBDota-3, damped step","sgbdota_3_gradient":"SGBDota-3, residuals are the gradient","sgbdota_3_initial":"SGBDota-3, initial weights","sgbdota_3_printed":"SGBDota-3, eq. 10 as published","sgbdota_3_pruned":"SGBDota-3","sgbdota_3_search":"SGBDota-3, line search","sgbdota_3_unit":"SGBDota-3, features within [0, 1]","supervised_et":"SupervisedET","ted":"(TED)^n","upu_dh":"UPU, double hinge","upu_dh_gaussian":"UPU, double hinge, Gaussian basis","upu_mlp":"uPU, MLP","upu_sl":"UPU, square","upu_sl_no_bias":"UPU, square, no bias","vpu":"VPU"},"rerun":"snakemake rerun --cores all --configfile config/paper.yaml --config","signs":{"cannot tell":"?","close":"\u2248","different":"\u2260","reproduced":"="}};
  var dialog = byId("cell"), root = document.body.dataset.root, here = document.body.dataset.page;
  var make = function (tag, text, parent) { var e = document.createElement(tag); if (text) e.textContent = text; if (parent) parent.append(e); return e; };

  // Of a cell: a list of its fields, in which texts and lists are numbers of words
  function unpacked(known) {
    return Object.fromEntries(Object.entries(known.cells).map(function (entry) {
      var cell = {};
      entry[1].forEach(function (value, k) {
        var name = known.fields[k];
        if (value !== null) cell[name] = known.texts.includes(name) ? known.words[value] : value;
      });
      return [entry[0], cell];
    }));
  }

  // Addresses of pages: files next to this one, or parts of it
  function address(page, anchor) {
    if (root === undefined || page === here) return "#" + (anchor || "page-" + page);
    return root + (page === "report" ? "report.html" : "report/" + page + ".html") + (anchor ? "#" + anchor : "");
  }

  // Search: every word of the query begins a word of the text; the index is read when it is first asked for
  var field = document.forms.search.elements.words, hits = byId("hits"), index = null;
  window.reportIndex = function (entries) {
    index = entries.map(function (e) { return { page: e[0], anchor: e[1], title: e[2], text: e[3], words: split(e[2] + " " + e[3]) }; });
    find();
  };
  function split(text) { return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean); }
  function find() {
    var wanted = split(field.value);
    hits.textContent = "";
    hits.hidden = !wanted.length || !index;
    if (hits.hidden) return;
    var begins = function (words, wish) { return words.some(function (word) { return word.startsWith(wish); }); };
    var found = index.filter(function (e) { return wanted.every(function (wish) { return begins(e.words, wish); }); });
    // words of the title first, then the query as a whole; sentences before tables and figures
    var rank = function (e) {
      var titled = wanted.filter(function (wish) { return begins(split(e.title), wish); }).length;
      return 4 * titled + 2 * (" " + e.words.join(" ")).includes(" " + wanted.join(" ")) + !/^(Table|Figure)/.test(e.title);
    };
    found.sort(function (a, b) { return rank(b) - rank(a); });
    make("small", found.length ? found.length + " found" + (found.length > 40 ? ", the first 40 of them" : "") : "Nothing found", hits);
    found.slice(0, 40).forEach(function (e) {
      var link = make("a", "", hits);
      link.href = address(e.page, e.anchor);
      marked(e.title, wanted, link);
      marked(" " + excerpt(e.text, wanted), wanted, make("small", e.page === "report" ? "first page" : e.page, link));
    });
  }
  function excerpt(text, wanted) {
    var at = Math.max(0, Math.min.apply(null, wanted.map(function (w) { var k = text.toLowerCase().indexOf(w); return k < 0 ? text.length : k; })) - 40);
    return text.length > at ? "… " + text.slice(at, at + 130) : "";
  }
  function marked(text, wanted, parent) {
    text.split(/([\p{L}\p{N}]+)/u).forEach(function (part) {
      var hit = wanted.some(function (wish) { return part.toLowerCase().startsWith(wish); });
      make(hit ? "mark" : "span", part, parent);
    });
  }
  function load() {
    if (index || root === undefined || byId("index")) return;
    var script = make("script");
    script.id = "index"; script.src = root + "report/search.js";
    document.body.append(script);
  }
  field.addEventListener("focus", load);
  field.addEventListener("input", function () { load(); find(); });
  document.forms.search.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = hits.querySelector("a");
    if (first) { first.click(); leave(); }
  });
  function leave() { hits.hidden = true; }
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !event.target.matches("input, select, textarea")) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape") leave();
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && (event.target === field || event.target.closest("#hits"))) {
      var links = [field].concat(all("a", hits)), next = links[links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
      event.preventDefault();
      if (next) next.focus();
    }
  });

  // Filters of a page's cells
  function apply(form) {
    var want = Object.fromEntries(new FormData(form)), active = want.verdict || want.dataset || want.method || want.counted;
    var fits = function (cell) {
      return (!want.counted || cell.counted) && ["verdict", "dataset", "method"].every(function (key) { return !want[key] || cell[key] === want[key]; });
    };
    var page = form.closest("article.page"), left = 0, judged = 0;
    all("table.cells", page).forEach(function (table) {
      var any = false;
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        var own = false;
        all("td button", row).forEach(function (button) {
          var cell = cells[button.id] || {}, ok = Boolean(fits(cell)), judgeable = cell.verdict in names.signs || ["not judged", "stand-in"].includes(cell.verdict);
          button.parentElement.classList.toggle("dim", Boolean(active) && !ok);
          own = own || ok;
          if (judgeable && (!want.counted || cell.counted)) { judged += 1; if (ok) left += 1; }
        });
        row.hidden = Boolean(active) && !own;
        any = any || own;
      });
      var part = table.closest(".artifact");
      if (!part) return;
      part.hidden = Boolean(active) && !any;
      if (active && any && part.tagName === "DETAILS") part.open = true;
    });
    all(".artifact", page).forEach(function (part) { if (!part.querySelector("table.cells")) part.hidden = Boolean(active); });
    all(".reasons .reason", page).forEach(function (reason) {
      var items = all("li", reason);
      items.forEach(function (item) { item.hidden = Boolean(active) && !fits(cells[item.querySelector("a").hash.slice(1)] || {}); });
      reason.hidden = items.every(function (item) { return item.hidden; });
      if (active && !reason.hidden) reason.open = true;
    });
    form.querySelector("output").textContent = active ? left + " of " + judged + " cells" : "";
  }
  all("form.filters[data-study]").forEach(function (form) {
    form.addEventListener("input", function () { apply(form); });
    form.addEventListener("reset", function () { setTimeout(function () { apply(form); }); });
  });

  // What is known of a cell
  function line(list, name, value) {
    if (value === undefined || value === "" || value === null || value === false) return;
    make("dt", name, list);
    make("dd", "", list).append(value);
  }
  function signed(value) { return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(2); }
  function command(text) {
    var box = make("div"), pre = make("pre", text, box), copy = make("button", "Copy", box);
    copy.type = "button";
    copy.addEventListener("click", function () {
      var range = document.createRange();
      range.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      copy.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
    });
    return box;
  }
  function show(button) {
    var cell = cells[button.id];
    if (!cell) return;
    all("td button.open").forEach(function (other) { other.classList.remove("open"); });
    button.classList.add("open");
    var place = button.parentElement, heads = place.closest("table").tHead.rows[0].cells;
    var row = place.parentElement.cells[0].textContent, column = heads[place.cellIndex].textContent;
    byId("cell-title").textContent = cell.study + ", " + cell.table + ": " + row + " / " + column;
    var list = dialog.querySelector("dl"), parts = Array.from(button.children), page = make("a", cell.study);
    list.textContent = "";
    page.href = address(cell.study, "");
    page.addEventListener("click", function () { dialog.close(); });
    line(list, "Verdict", cell.verdict + (!cell.reading ? "" : cell.reading === "elsewhere" ?
      " (published elsewhere, not counted in the headline)" : " (another reading, not counted in the headline)"));
    line(list, "Ours", parts[0] && parts[0].textContent);
    line(list, "Published", parts[1] && !parts[1].classList.contains("sign") ? parts[1].lastChild.textContent : "nothing");
    if (cell.by !== undefined) {
      line(list, "Difference", signed(cell.by) + " points" + (cell.se === undefined ? "" :
        ", 95% interval " + signed(cell.by - 2 * cell.se) + " to " + signed(cell.by + 2 * cell.se)));
    }
    line(list, "Cause", cell.cause);
    line(list, "Why", cell.why);
    line(list, "Note", cell.note);
    line(list, "Repeats", (cell.n || 0) + (cell.values ? ": " + cell.values.join(", ") : ""));
    line(list, "Averaged", cell.values && cell.metric);
    line(list, "Data set", cell.dataset);
    line(list, "Setting", cell.setting);
    line(list, "Method", cell.method && (names.labels[cell.method] ? names.labels[cell.method] + " (" + cell.method + ")" : cell.method));
    line(list, "Seed of the first repeat", cell.seed);
    line(list, "Study", page);
    if (cell.runs) {
      var chosen = { studies: cell.study, only_datasets: cell.dataset, only_settings: cell.setting, only_methods: cell.method };
      var options = Object.entries(chosen).filter(function (option) { return option[1]; });
      line(list, "Run it again", command(names.rerun + options.map(function (option) { return " " + option[0] + "='[" + option[1] + "]'"; }).join("")));
    }
    if (!dialog.open) dialog.showModal();
    history.replaceState(null, "", "#" + button.id);
  }
  dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", function () { var cell = document.querySelector("td button.open"); if (cell) cell.focus({ preventScroll: true }); });

  // One stop of the Tab key per table; arrows go from cell to cell
  all("table.cells").forEach(function (table) { all("td button", table).forEach(function (button, k) { button.tabIndex = k ? -1 : 0; }); });
  document.addEventListener("focusin", function (event) {
    if (!event.target.matches("td button")) return;
    all("td button[tabindex='0']", event.target.closest("table")).forEach(function (other) { other.tabIndex = -1; });
    event.target.tabIndex = 0;
  });
  document.addEventListener("keydown", function (event) {
    var button = event.target.closest && event.target.closest("td button");
    var step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!button || !step) return;
    var cell = button.parentElement, row = cell.parentElement, rows = Array.from(row.parentElement.rows), next = null;
    for (var i = rows.indexOf(row) + step[0], j = cell.cellIndex + step[1]; rows[i] && rows[i].cells[j]; i += step[0], j += step[1]) {
      next = rows[i].hidden ? null : rows[i].cells[j].querySelector("td button");
      if (next) break;
    }
    event.preventDefault();
    if (next) next.focus();
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

  document.addEventListener("click", function (event) {
    var button = event.target.closest("td button"), head = event.target.closest("table.sortable thead button");
    if (button) { show(button); return; }
    if (head) sort(head);
    var link = event.target.closest("a[href]");
    if (link && link.getAttribute("href") === location.hash) goThere();
    if (link) { toggle(false); leave(); }
    if (!event.target.closest("#search, #hits")) leave();
  });
  function toggle(open) {
    byId("menu").setAttribute("aria-expanded", String(byId("contents").classList.toggle("open", open)));
  }
  byId("menu").addEventListener("click", function () { toggle(); });

  // Addresses within the page: a cell opens, a filter is set, folded parts unfold
  function goThere() {
    var hash = decodeURIComponent(location.hash.slice(1)), filter = hash.split(":");
    if (filter[0] === "filter") {
      var form = document.querySelector("form.filters[data-study='" + filter[1] + "']");
      if (!form) return;
      form.elements.verdict.value = filter[2].replace(/-/g, " ");
      form.elements.counted.checked = true;
      apply(form);
      form.scrollIntoView();
      form.elements.verdict.focus({ preventScroll: true });
      return;
    }
    var target = byId(hash);
    if (!target) return;
    if (target.closest("[hidden]")) all("form.filters[data-study]").forEach(function (f) { f.reset(); apply(f); });
    for (var up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    target.scrollIntoView({ block: target.matches("td button") ? "center" : "start" });
    if (target.matches("td button")) show(target);
  }
  window.addEventListener("hashchange", goThere);

  // The contents follow the reader
  var links = all("#contents a[href^='#']").map(function (a) { return { link: a, target: byId(a.hash.slice(1)) }; }).filter(function (l) { return l.target; });
  function follow() {
    var current = null;
    links.forEach(function (l) { if (l.target.getBoundingClientRect().top < innerHeight * .3) current = l.link; });
    links.forEach(function (l) { if (l.link !== current) l.link.removeAttribute("aria-current"); });
    if (!current || current.hasAttribute("aria-current")) return;
    current.setAttribute("aria-current", "true");
    var nav = byId("contents"), at = current.offsetTop;
    if (at < nav.scrollTop + 40 || at > nav.scrollTop + nav.clientHeight - 60) nav.scrollTop = at - nav.clientHeight / 2;
  }
  var waiting = false;
  window.addEventListener("scroll", function () {
    if (!waiting) { waiting = true; requestAnimationFrame(function () { waiting = false; follow(); }); }
  }, { passive: true });
  follow();
  if (location.hash) goThere();
})();