"""Many learners on a table of one's own: which of them to take, how sure that is, and which rows to look at first.

``pulab bench table.csv --label labeled`` (:mod:`pulab.bench.command`) checks the table, measures what learners cost on this
machine (:mod:`pulab.bench.plan`), and runs the workflow of this folder's ``Snakefile``, whose jobs are in
:mod:`pulab.bench.jobs`.  Every learner is cross-fitted (:mod:`pulab.bench.scoring`): each row is scored by models that saw
neither the row nor its group.
:mod:`pulab.bench.judge` compares learners on these scores, :mod:`pulab.bench.ranked` lists the unlabeled rows, and
:mod:`pulab.bench.report` writes the answer.

Learners and estimates are about one population, the unlabeled rows, whatever the scenario: if labels are drawn at random among
the positives, labeled rows are a sample of the positives that are hidden there.  ρ is the share of positives among unlabeled
rows.
"""
