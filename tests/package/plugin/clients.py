# SPDX-License-Identifier: Apache-2.0
"""Where the clients under test are: the folder of examples, as the driver says."""
import os

EXAMPLES = os.environ["LOCKPROOF_EXAMPLES"]
REDIS_PY = f"{EXAMPLES}/clients/redis_py.py"
NAIVE = f"{EXAMPLES}/clients/naive.py"
WORKLOAD = {"lease": "10s", "hold": "6s"}
