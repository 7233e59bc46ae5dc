// Preloaded into a process of the service (`--import`): its machine's time of day is wrong by TEST_CLOCK_WRONG_MS,
// and each SIGUSR2 sets it by TEST_CLOCK_JUMP_MS more, the steady count of milliseconds going on as before, as when
// somebody sets the clock of a machine.
const Right = Date;
let wrongMs = Number(process.env.TEST_CLOCK_WRONG_MS ?? 0);
const now = (): number => Right.now() + wrongMs;

class Wrong extends Right {
  static override now(): number {
    return now();
  }

  constructor(...given: readonly [value?: number | string | Date]) {
    const [value] = given;
    super(value ?? now());
  }
}

globalThis.Date = Wrong as DateConstructor;

process.on('SIGUSR2', () => {
  wrongMs += Number(process.env.TEST_CLOCK_JUMP_MS ?? 0);
});
