"""The public names, which load on first use."""

from ._circle_noise import make_circle_noise as make_circle_noise
from ._dataset import Dataset as Dataset
from ._dataset import load_prepared as load_prepared
from ._dataset import save_prepared as save_prepared
from ._dataset import target_codes as target_codes
from ._expanding_clusters import CLUSTERS as CLUSTERS
from ._expanding_clusters import PATHS as PATHS
from ._expanding_clusters import make_expanding_clusters as make_expanding_clusters
from ._load import load_dataset as load_dataset
from ._load import mirror_list as mirror_list
from ._reading import UnreadableFileError as UnreadableFileError
from ._reading import reading as reading
from ._source import Prepared as Prepared
from ._source import Source as Source
from ._streams import open_stream as open_stream
from ._tasks import BenchmarkTask as BenchmarkTask
from ._tasks import TaskFacts as TaskFacts
from ._tasks import list_tasks as list_tasks
from ._tasks import load_task as load_task
from .registry import load_registry as load_registry
