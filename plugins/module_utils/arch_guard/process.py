# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Start, bound and kill child processes. The only place of the guard that starts one, beside their guardian.

Not subprocess: importing that costs a task more than starting the child does, its communicate() waits for a
daemon that kept the pipe, and its wait() for a child that cannot be killed.
"""

# The numbers as they are: the module signal brings enum, and that costs a task as much as half an interpreter.
import _signal as signal
import errno
import os
import select
import time

from .guardian import Guardian

EXITED = "exited"
TIMEOUT = "timeout"
TOO_MUCH_OUTPUT = "too much output"
NOT_STARTED = "not started"

CHUNK = 65536
SHORTEST_PAUSE = 0.001
LONGEST_PAUSE = 0.05
# How long the end of a killed child is waited for before it is given up.
REAP_LIMIT = 0.1


class Outcome(object):
    """How a child ended.

    ``how``: EXITED, TIMEOUT, TOO_MUCH_OUTPUT or NOT_STARTED; ``status``: int as a shell counts it (128 + signal),
    None unless EXITED; ``stdout``, ``stderr``: bytes up to their limits; ``problem``: why it was not started.
    """

    def __init__(self, how, status=None, stdout=b"", stderr=b"", problem=""):
        self.how = how
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.problem = problem


class Child(object):
    """A started process, leader of its own session and process group.

    stdout is read up to ``stdout_limit`` bytes, and the child is killed when it writes more. Of stderr the first
    ``stderr_limit`` bytes are kept and the rest is dropped.
    """

    def __init__(self, work, stdout_limit, stderr_limit):
        self._limits = {"stdout": stdout_limit, "stderr": stderr_limit}
        self._kept = {"stdout": bytearray(), "stderr": bytearray()}
        self._open = {}
        self.outcome = None
        self._guardian = None
        self._pid = self._fork(work)

    def _fork(self, work):
        reserve_standard_descriptors()
        self._guardian = _guardian_of_this_process()
        if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
            # Inherited so, the kernel would throw the status of each child away.
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        made = []
        try:
            out_read, out_write = os.pipe()
            made += [out_read, out_write]
            err_read, err_write = os.pipe()
            made += [err_read, err_write]
            pid = os.fork()
        except OSError as error:
            for descriptor in made:
                os.close(descriptor)
            self._end(NOT_STARTED, problem="cannot start a process: " + errno_text(error.errno))
            return None
        if pid == 0:
            _become(work, out_write, err_write, self._guardian)
        os.close(out_write)
        os.close(err_write)
        for name, descriptor in (("stdout", out_read), ("stderr", err_read)):
            os.set_blocking(descriptor, False)
            self._open[descriptor] = name
        return pid

    @property
    def descriptors(self):
        """The pipe ends that are still open."""
        return list(self._open)

    def read(self, descriptor):
        """Take what is in the pipe ``descriptor`` now; return False when there is nothing more at the moment."""
        name = self._open.get(descriptor)
        if name is None:
            return False
        try:
            data = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._close(descriptor)
            return False
        room = self._limits[name] - len(self._kept[name])
        self._kept[name] += data[:room]
        if len(data) > room and name == "stdout":
            self.kill(TOO_MUCH_OUTPUT)
            return False
        return True

    def check_exit(self):
        """End with EXITED where the process has exited, whether or not somebody still holds its pipes."""
        if self.outcome is not None:
            return
        # WNOWAIT: as long as the leader is not reaped its group number cannot belong to anybody else.
        if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return
        for descriptor in self.descriptors:
            while self.read(descriptor):
                pass
        if self.outcome is None:
            self._kill_group()
            self._end(EXITED, _shell_status(os.waitpid(self._pid, 0)[1]))

    def kill(self, how):
        """Kill the group and end with ``how``; a process that cannot be killed is left behind."""
        if self.outcome is not None:
            return
        self._kill_group()
        give_up = time.monotonic() + REAP_LIMIT
        pause = SHORTEST_PAUSE
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < give_up:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        self._end(how)

    def _kill_group(self):
        for kill in (os.killpg, os.kill):
            # killpg fails while the child has not yet reached setsid, kill when it has already gone.
            try:
                kill(self._pid, signal.SIGKILL)
                break
            except ProcessLookupError:
                continue
            except PermissionError:
                # Something of the group changed its user (a setuid program). It is not waited for either.
                break
        self._guardian.forget(self._pid)

    def _end(self, how, status=None, problem=""):
        for descriptor in self.descriptors:
            self._close(descriptor)
        self.outcome = Outcome(how, status, bytes(self._kept["stdout"]), bytes(self._kept["stderr"]), problem)

    def _close(self, descriptor):
        del self._open[descriptor]
        os.close(descriptor)


def end_within(seconds):
    """Let this process be ended in ``seconds``, whatever it waits for then; what it started ends with it."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, seconds)


def start(argv, env, stdout_limit, stderr_limit=4096):
    """Start ``argv`` (list of str, argv[0] an absolute path) with the environment ``env``; return a Child.

    The child has its own session, / as its directory, stdin from /dev/null, and only the three standard
    descriptors. A program that cannot be executed ends with status 127 (126 where it is not permitted).
    """
    return Child(lambda: os.execve(argv[0], as_bytes(argv), _environment(env)), stdout_limit, stderr_limit)


def as_bytes(texts):
    """Return the bytes that ``texts`` (list of str) stand for, whatever the locale: an odd locale must not matter."""
    return [text.encode("utf-8", "surrogateescape") for text in texts]


def call(function, stdout_limit):
    """Start a child that runs ``function``, which writes bytes to descriptor 1; return a Child.

    For system calls that may never return, such as a stat on a hung mount.
    """
    return Child(function, stdout_limit, 4096)


def wait(children, deadline):
    """Wait until each of ``children`` has ended or ``deadline`` (time.monotonic) has passed; return their outcomes."""
    pause = SHORTEST_PAUSE
    while True:
        running = [child for child in children if child.outcome is None]
        if not running:
            return [child.outcome for child in children]
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            for child in running:
                child.kill(TIMEOUT)
            continue
        owners = {descriptor: child for child in running for descriptor in child.descriptors}
        ready = _ready(owners, min(pause, remaining))
        for descriptor in ready:
            owners[descriptor].read(descriptor)
        for child in running:
            child.check_exit()
        pause = SHORTEST_PAUSE if ready else min(2 * pause, LONGEST_PAUSE)


def reserve_standard_descriptors():
    """Open /dev/null on each of the descriptors 0, 1 and 2 that is closed.

    A task may start with any of them closed; a pipe made then would take that number and be mistaken for it.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def errno_text(number):
    """Return the text of an errno with its name: ``Permission denied (EACCES)``."""
    return "%s (%s)" % (os.strerror(number), errno.errorcode.get(number, number))


_guardians = []


def _guardian_of_this_process():
    """Return the Guardian; it is started with the first child, once a process."""
    if not _guardians or _guardians[-1].owner != os.getpid():
        _guardians[:] = [Guardian()]
    return _guardians[-1]


def _environment(env):
    return dict(zip(as_bytes(env), as_bytes(env.values())))


def _ready(descriptors, seconds):
    """Return those of ``descriptors`` that can be read, waiting for at most ``seconds``."""
    if not descriptors:
        time.sleep(seconds)
        return []
    poller = select.poll()
    for descriptor in descriptors:
        poller.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, event in poller.poll(max(1, int(seconds * 1000)))]


def _become(work, out_write, err_write, guardian):
    """Turn the forked copy of this process into the child; never returns."""
    status = 127
    try:
        os.setsid()
        guardian.watch(os.getpid())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out_write, 1)
        os.dup2(err_write, 2)
        _close_above(2)
        os.chdir("/")
        # Python ignores SIGPIPE, and a task may ignore or block others; programs expect the defaults.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
                       signal.SIGQUIT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        work()
        status = 0
    except OSError as error:
        status = 126 if error.errno == errno.EACCES else 127
        os.write(2, (errno_text(error.errno) + "\n").encode("ascii", "backslashreplace"))
    except ValueError as error:
        # A name with a NUL, or with characters that the locale cannot encode.
        os.write(2, ("%s\n" % error).encode("ascii", "backslashreplace"))
    finally:
        # Whatever was raised: the copy must not run on in the code of the parent.
        os._exit(status)


def _close_above(highest):
    """Close every descriptor above ``highest``, by the list of the open ones: RLIMIT_NOFILE may be a thousand million."""
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        names = range(256)
    for name in names:
        if int(name) > highest:
            try:
                os.close(int(name))
            except OSError:
                # The descriptor by which the list was read.
                continue


def _shell_status(status):
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
