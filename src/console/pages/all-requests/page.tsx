import { RequestsPage } from '../../requests/requests-page.tsx'

/** Requests of all accounts. */
export const Page = () => <RequestsPage isAll />
