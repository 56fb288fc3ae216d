/** Loaded by the first notice that is shown. */
export { Notifications, notifications } from '@mantine/notifications'
