/** Loaded by the first dialog or drawer that is opened. */
export { Drawer, Modal } from '@mantine/core'
