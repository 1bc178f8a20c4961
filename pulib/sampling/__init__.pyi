"""The public names, which load on first use."""

from ._adapu import AdaPUSplit as AdaPUSplit
from ._biased import Biased as Biased
from ._biased import biased_split as biased_split
from ._case_control import CaseControl as CaseControl
from ._case_control import case_control_split as case_control_split
from ._censored import Censored as Censored
from ._censored import censored_split as censored_split
from ._contaminated import Contaminated as Contaminated
from ._contaminated import contaminated_split as contaminated_split
from ._expansion import Expansion as Expansion
from ._expansion import expansion_split as expansion_split
from ._mechanism_split import Mechanism as Mechanism
from ._mechanisms import label_biased as label_biased
from ._mechanisms import label_one_sample as label_one_sample
from ._mechanisms import label_two_sample as label_two_sample
from ._mechanisms import label_wrong as label_wrong
from ._mixture import Mixture as Mixture
from ._scheme import Scheme as Scheme
from ._scheme import Split as Split
from ._schemes import SCHEMES as SCHEMES
from ._split import make_splits as make_splits
