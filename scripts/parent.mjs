/**
 * Ends this process, as SIGTERM does, once the process that started it is gone. npm passes a signal on to its shell, which
 * ends without passing it on.
 *
 * @param {number} parent what `process.ppid` was at first
 * @param {number} [every] milliseconds between one look and the next
 */
export function endWithParent(parent, every = 500) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, every);
  timer.unref();
}
