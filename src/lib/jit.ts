/** How much longer code is interpreted before it is compiled. */
const startScale = 8

/** For a start, most of whose code runs once: to compile it costs more than it brings. */
export const compileLess = (): void => Bun.unsafe.setJITPolicy(startScale)

/** From when on a process does the work that it was started for. */
export const compileAsUsual = (): void => Bun.unsafe.setJITPolicy(1)
