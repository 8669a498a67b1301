// What the program uses and Node 22 has not got. Everything that opens things for the length of a command runs in the main thread.

/** As ECMAScript 2026 has it, as far as the program uses it. */
class DisposableStackOfPromises {
  #disposers = [];

  defer(dispose) {
    this.#disposers.push(dispose);
  }

  use(resource) {
    const dispose = resource?.[Symbol.asyncDispose] ?? resource?.[Symbol.dispose];
    if (dispose !== undefined) this.#disposers.push(() => dispose.call(resource));
    return resource;
  }

  adopt(value, dispose) {
    this.#disposers.push(() => dispose(value));
    return value;
  }

  move() {
    const moved = new DisposableStackOfPromises();
    moved.#disposers = this.#disposers;
    this.#disposers = [];
    return moved;
  }

  /** Last opened, first closed; every one is closed, and the first failure is thrown. */
  async disposeAsync() {
    const failures = [];
    for (let dispose = this.#disposers.pop(); dispose !== undefined; dispose = this.#disposers.pop()) {
      try {
        await dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose]() {
    return this.disposeAsync();
  }
}

globalThis.AsyncDisposableStack ??= DisposableStackOfPromises;
