import { nullable, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { CodeMember } from '../portal/schema.ts';

/** Whether a person has a second factor. */
export const SecondFactor = Type.Object(
  {
    is_on: Type.Boolean({ description: 'Whether signing in needs a code.' }),
    confirmed_at: nullable({ ...Timestamp, description: 'Since when; null while it is off.' }),
    recovery_codes_left: Type.Integer({ description: 'Recovery codes that were not used yet.' }),
  },
  { title: 'SecondFactor' },
);
export type SecondFactor = Static<typeof SecondFactor>;

/** What an app for codes is given; it counts once a code of it was sent. */
export const NewSecondFactor = Type.Object(
  {
    secret: Type.String({ description: 'For apps that take text. It is shown this once.' }),
    otpauth_url: Type.String({ description: 'The same as an address, which apps on this device open.' }),
    qr: Type.Array(Type.String(), {
      description:
        'The same as a QR code: its rows from the top, each module a 1 where it is dark. Leave four modules empty around it.',
    }),
  },
  { title: 'NewSecondFactor' },
);
export type NewSecondFactor = Static<typeof NewSecondFactor>;

/** The first code of the app. */
export const ConfirmFactorBody = Type.Object({ code: CodeMember }, { title: 'ConfirmSecondFactorRequest' });

/** The codes for a person who has lost the app. */
export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String(), { description: 'Each signs in once. They are shown this once.' }) },
  { title: 'RecoveryCodes' },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;
