set local synchronous_commit = remote_apply
