"""The public names, which load on first use."""

from ._calibration import plot_calibration as plot_calibration
from ._critical_difference import critical_difference_diagram as critical_difference_diagram
from ._prior_estimate import plot_prior_estimate as plot_prior_estimate
from ._prior_sensitivity import plot_prior_sensitivity as plot_prior_sensitivity
from ._style import COLUMN as COLUMN
from ._style import MARKERS as MARKERS
from ._style import PAGE as PAGE
from ._style import PALETTE as PALETTE
from ._style import save_figure as save_figure
from ._style import style as style
