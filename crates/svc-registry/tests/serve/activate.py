"""Starts a program as a service manager does: with sockets that listen already, or with what is none.

activate.py NAMES KIND[=ADDRESS:PORT] ... -- PROGRAM ARGUMENTS
"""

import os
import socket
import sys

names, *rest = sys.argv[1:]
split = rest.index("--")
kinds, command = rest[:split], rest[split + 1 :]
made = []
for kind in kinds:
    kind, _, address = kind.partition("=")
    host, _, port = address.rpartition(":")
    if kind in ("listen", "idle"):
        one = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        one.bind((host.strip("[]"), int(port)))
        if kind == "listen":
            one.listen(64)
    elif kind == "udp":
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind((host, int(port)))
    elif kind == "unix":
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        one.bind("\0svc-test-%d" % os.getpid())
        one.listen(1)
    else:
        one = open("/dev/null")
    made.append(one)
# Out of the way first, so that none of them is overwritten.
high = [os.dup2(one.fileno(), 100 + at) for at, one in enumerate(made)]
for at, descriptor in enumerate(high):
    os.dup2(descriptor, 3 + at, inheritable=True)
    os.close(descriptor)
process = os.environ.get("SVC_TEST_LISTEN_PID", str(os.getpid()))
os.environ.update(LISTEN_FDS=str(len(made)), LISTEN_PID=process, LISTEN_FDNAMES=names)
os.execv(command[0], command)
