"""All split schemes, by their names in configurations."""

from __future__ import annotations

from pulib.sampling._adapu import AdaPUSplit
from pulib.sampling._biased import Biased
from pulib.sampling._case_control import CaseControl
from pulib.sampling._censored import Censored
from pulib.sampling._contaminated import Contaminated
from pulib.sampling._expansion import Expansion
from pulib.sampling._mechanism_split import Mechanism
from pulib.sampling._mixture import Mixture
from pulib.sampling._scheme import Scheme

SCHEMES: dict[str, type[Scheme]] = {
    scheme.name: scheme for scheme in (AdaPUSplit, Biased, CaseControl, Censored, Contaminated, Expansion, Mechanism, Mixture)
}
