"""Types of what the API takes and answers, under the names of `/doc`. At run time each is a dict."""

from ._files import File as File
from ._generated.types import *
