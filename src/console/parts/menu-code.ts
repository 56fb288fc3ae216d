/** Loaded by the first menu that is opened: it brings all that places a list beside its button. */
export { Menu } from '@mantine/core'
