import { oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** How people come in here. */
export const Entrance = Type.Object(
  {
    shop: Type.String({ description: 'What the print shop is called.' }),
    sign_up: oneOf(['closed', 'approval', 'open'], {
      description: 'Whether people can open an account by themselves.',
    }),
    password_reset: Type.Boolean({ description: 'Whether a link to a new password can be mailed.' }),
  },
  { title: 'Entrance' },
);
export type Entrance = Static<typeof Entrance>;

/** Whose password is to be chosen anew. */
export const PasswordResetBody = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 1_000, description: 'What the person signs in with.' }) },
  { title: 'PasswordResetRequest' },
);
