"""More clients than there is room for: who is served, and who has to go."""
import time

import served
from stalls import HONEST_MAX, REQUEST
from table import Figure


def is_answered(s):
    s.sendall(REQUEST)
    answer = b""
    while not answer.endswith(b"hello"):
        part = s.recv(4096)
        if not part:
            return False
        answer += part
    return answer.startswith(b"HTTP/1.1 200 ")


def is_closed(s):
    """Whether the server has ended it, with nothing more to say."""
    s.setblocking(False)
    try:
        return s.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def come(server, count, clients):
    """Each asks once and stays. The seconds of the longest answer."""
    longest = 0.0
    for _ in range(count):
        began = time.monotonic()
        s = server.connect()
        clients.append(s)
        if not is_answered(s):
            raise served.Wrong("a newcomer is not answered")
        longest = max(longest, time.monotonic() - began)
    return longest


def above_max_connections(build):
    places, count = 50, 150
    clients = []
    with served.Server(build, connections=places) as server:
        longest = come(server, count, clients)
        served.until(lambda: sum(map(is_closed, clients[:count - places])) == count - places,
                     "those that have been idle for longest are closed")
        kept = sum(not is_closed(s) for s in clients[count - places:])
    for s in clients:
        s.close()
    return [Figure(f"{count} idle clients at max_connections {places}: each newcomer is answered",
                   f"{HONEST_MAX} s", f"{longest:.2f} s at most", longest <= HONEST_MAX),
            Figure("    and those go that have been idle for longest", f"{places} stay",
                   f"{kept} of the last {places} stay", kept == places)]


def without_descriptors(build):
    limit, count = 64, 150
    clients = []
    with served.Server(build, descriptors=limit) as server:
        longest = come(server, count, clients)
        half = [server.connect() for _ in range(limit)]  # which say nothing
        clients += half
        longest = max(longest, come(server, limit, clients))
    for s in clients:
        s.close()
    return [Figure(f"{count + 2 * limit} clients, {limit} descriptors: each newcomer is answered",
                   f"{HONEST_MAX} s", f"{longest:.2f} s at most", longest <= HONEST_MAX)]
