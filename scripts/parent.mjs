/**
 * Ends this process, as SIGTERM does, when its parent process is gone. npm passes a signal to its shell only, and the
 * shell ends without passing it on.
 *
 * @param {number} parent the initial value of `process.ppid`
 * @param {number} [every] milliseconds between checks
 */
export function endWithParent(parent, every = 500) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, every);
  timer.unref();
}
