import { RequestsPage } from '../../requests/requests-page.tsx'

/** Own requests. */
export const Page = () => <RequestsPage isAll={false} />
