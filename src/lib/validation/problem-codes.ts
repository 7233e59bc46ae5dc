/** What a word means, and what to do about it. */
export type CodeMeaning = { readonly code: string; readonly meaning: string };

/**
 * The values of `errors[].code` in a 422, and of `results[].code` of `POST /uploads/validate`.
 * Grouped by what they are about.
 */
export const PROBLEM_GUIDE: readonly { readonly about: string; readonly codes: readonly CodeMeaning[] }[] = [
  {
    about: 'The shape of a request',
    codes: [
      { code: 'required', meaning: 'It is required. Null and an empty text count as missing.' },
      { code: 'type', meaning: 'It has another type: a number sent as text, an object where a list belongs.' },
      {
        code: 'out_of_bounds',
        meaning: 'It is too small, too large, too short or too long; the message gives the bound.',
      },
      { code: 'pattern', meaning: 'It does not have the form that the message describes.' },
      { code: 'unknown_value', meaning: 'It is not one of `valid_values`.' },
      {
        code: 'unknown_field',
        meaning: 'There is no such member or query parameter here, and no others are accepted.',
      },
      {
        code: 'misplaced_field',
        meaning:
          'The member would change what is made or paid, but it is not taken where it stands. The message says what was meant.',
      },
      { code: 'duplicate', meaning: 'It was given twice: a query parameter, or an entry of a list.' },
      { code: 'repeated', meaning: 'The same print area appears twice on one line.' },
      {
        code: 'invalid_character',
        meaning: 'The text contains U+0000 or half of a surrogate pair, which cannot be stored.',
      },
      {
        code: 'one_of',
        meaning: 'Only one of several members may be sent; several were, or none where one is needed.',
      },
      { code: 'time', meaning: 'It looks like a time, but the day or hour does not exist.' },
      { code: 'decimals', meaning: 'An amount has more than two decimals.' },
      { code: 'shape', meaning: 'The request does not have the right shape.' },
      { code: 'csv', meaning: 'The text is no CSV file; the message names the row.' },
    ],
  },
  {
    about: 'Names in a request',
    codes: [
      {
        code: 'unknown_product',
        meaning: 'The account has no such product. In a `not_found`, which lists every line that names one.',
      },
      { code: 'unknown_item', meaning: 'The file of orders has no such item. Portal only.' },
      { code: 'unknown_variant', meaning: 'The SKU is not an active variant of the product, or of its base product.' },
      { code: 'unknown_print_area', meaning: 'The product, or its base product, has no such print area to decorate.' },
      { code: 'unknown_method', meaning: 'The print area cannot be decorated by this method.' },
      {
        code: 'unknown_picture',
        meaning: 'The account has no such picture, or has it no more: add it to the template again. Portal only.',
      },
      {
        code: 'unknown_brand',
        meaning: 'The account has no such brand. In a `not_found` of an order.',
      },
      { code: 'unknown_line', meaning: 'The order has no such line.' },
      { code: 'unknown_order', meaning: 'There is no such order. Operations API only.' },
      { code: 'unknown_design', meaning: 'The account has no such design any more. Portal only.' },
      { code: 'unknown_base_product', meaning: 'The catalogue has no such base product.' },
      {
        code: 'unknown_country',
        meaning: 'It is not an ISO 3166-1 alpha-2 code in capitals. The United Kingdom is `GB`.',
      },
      { code: 'unknown_currency', meaning: 'It is not an ISO 4217 code in capitals.' },
      { code: 'unknown_shipping_service', meaning: 'The service is not offered to this destination.' },
    ],
  },
  {
    about: 'What an order or a product may be',
    codes: [
      { code: 'brand_archived', meaning: 'The brand is archived: no order can name it any more.' },
      { code: 'name_taken', meaning: 'Another brand of the account, or another view of the page, has this name.' },
      {
        code: 'templates_too_large',
        meaning:
          'The templates of the personalised products of one order are too large together; divide the products among several orders.',
      },
      { code: 'product_archived', meaning: 'The product is archived and cannot be ordered.' },
      {
        code: 'product_unpublished',
        meaning: 'The personalised product was never published: it has nothing to print.',
      },
      {
        code: 'product_personalised',
        meaning: 'The product is personalised: send `decoration.personalisation`, not `areas`.',
      },
      { code: 'not_personalised', meaning: 'The product is not personalised: send `decoration.areas` or nothing.' },
      { code: 'not_available', meaning: 'It cannot be done through the API.' },
      { code: 'not_changeable', meaning: 'It cannot change after the product is created.' },
      { code: 'not_served', meaning: 'We do not ship to this country.' },
      { code: 'not_priced', meaning: 'There is no price for it today. Leave it out, or ask support.' },
      { code: 'outside_print_area', meaning: 'At this position no part of the artwork is on the print area.' },
      { code: 'too_many', meaning: 'The account has reached the limit. Remove one first.' },
      { code: 'too_many_urls', meaning: 'More than 100 different addresses in one order.' },
    ],
  },
  {
    about: 'The inputs of a personalised product',
    codes: [
      { code: 'unknown_layer', meaning: 'The product has no such layer. Ids are compared exactly.' },
      {
        code: 'unknown_override',
        meaning: 'A layer only has `<id>#font` and `<id>#color` beside itself.',
      },
      { code: 'override_not_allowed', meaning: 'The font or colour of the layer cannot be chosen.' },
      { code: 'unknown_font', meaning: 'The layer does not offer this font, or the print shop does not have it.' },
      { code: 'unknown_color', meaning: 'It is not a colour such as `#1a2b3c`, or the layer does not offer it.' },
      { code: 'unknown_option', meaning: 'The layer has no option with this id.' },
      { code: 'json_array', meaning: 'A photo collage takes a JSON array of addresses, itself sent as text.' },
      { code: 'unsupported_character', meaning: 'No font has a character of the text.' },
      { code: 'does_not_fit', meaning: 'The text does not fit its box even in the smallest letters.' },
      {
        code: 'not_drawable',
        meaning: 'No proof of these inputs can be drawn, however often it is tried. The message says why.',
      },
      { code: 'template_outdated', meaning: 'The print areas have changed since the product was personalised.' },
      { code: 'box', meaning: 'The box of a layer reaches beyond its print area. Portal only.' },
      { code: 'size_px', meaning: 'The sizes of the letters do not fit together, or not the box. Portal only.' },
      { code: 'grid', meaning: 'The grid of a collage has no room for its pictures. Portal only.' },
    ],
  },
  {
    about: 'Addresses, of artwork and of webhooks',
    codes: [
      {
        code: 'url',
        meaning:
          'It is no address that can be used: it does not parse, or has a user name, or a port that is not allowed.',
      },
      { code: 'scheme', meaning: 'It does not start with `https://`.' },
      {
        code: 'ssrf',
        meaning: 'It leads to a private, loopback, link-local or reserved address, directly or by a redirect.',
      },
      {
        code: 'fetch',
        meaning:
          'It could not be fetched: no such host, no valid certificate, a status other than 200, too many redirects or too slow.',
      },
      { code: 'size', meaning: 'The file has more than 52,428,800 bytes (50 MB).' },
      { code: 'format', meaning: 'The content is not PNG, JPEG or WebP, whatever the file name says.' },
      {
        code: 'dimensions',
        meaning: 'A side is longer than 12,000 pixels, or the image has more than 60 megapixels.',
      },
      { code: 'corrupt', meaning: 'The image cannot be decoded.' },
    ],
  },
];

/** The values of `warnings[].code`: what was accepted, and may not be what was meant. */
export const WARNING_GUIDE: readonly CodeMeaning[] = [
  {
    code: 'single_area_billed',
    meaning:
      '`print_jobs` was left out, so only the first print area is printed and billed. The message names the others.',
  },
  { code: 'blank_garment', meaning: 'Nothing is printed on this line.' },
  { code: 'draft_product', meaning: 'The product is a draft.' },
  { code: 'no_print_areas', meaning: 'The product is active and has no print areas, so its orders print nothing.' },
  {
    code: 'low_resolution',
    meaning:
      'The artwork has fewer dots per inch at its printed size than the method needs: 150, unless the shop states another number.',
  },
  {
    code: 'upscaled',
    meaning:
      'The artwork is sharp enough for the method, and is enlarged more than 1.25 times to the dots per inch of the print area.',
  },
  {
    code: 'outside_safe_zone',
    meaning: 'Portal only: the artwork comes nearer to an edge of its print area than the safe margin.',
  },
  { code: 'clipped', meaning: 'At least 1 % of the artwork lies outside the print area and is not printed.' },
  {
    code: 'opaque_background',
    meaning:
      'The edge of the artwork is opaque and of one colour, which prints as a box on the colour of the variant. White variants are not warned of.',
  },
  {
    code: 'colour_converted',
    meaning: 'The artwork is CMYK or has a colour profile wider than sRGB, and is converted to sRGB.',
  },
  { code: 'more_warnings', meaning: 'The order has more warnings about artwork than the 100 that are shown.' },
  {
    code: 'unknown_field',
    meaning: 'The request has an unknown member, which was ignored. The message may name the right one.',
  },
  {
    code: 'replayed_with_different_body',
    meaning:
      'The `external_reference` has an order already, and this request orders something else. The message lists what differs. The order stays as it is.',
  },
  { code: 'payment_failed', meaning: 'The charge failed. The order waits until it is paid.' },
  { code: 'payment_processing', meaning: 'The charge is being processed. An event reports the outcome.' },
  { code: 'duties_on_delivery', meaning: 'The receiver pays duty and import VAT on delivery.' },
  { code: 'state_missing', meaning: 'The destination usually needs a state or region in `county`.' },
  {
    code: 'postcode_unrecognised',
    meaning:
      'The postcode does not have the form that its country writes, so VAT, duty and shipping are those of the country as a whole. The message gives an example.',
  },
  { code: 'phone_recommended', meaning: 'Carriers to this destination usually need a phone number.' },
  {
    code: 'cancellation_window_open',
    meaning: 'Operations API only: the order is in progress, and the customer can still cancel it.',
  },
  {
    code: 'unfinished_pieces',
    meaning: 'Operations API only: the parcel has unfinished pieces. Finish pieces as they are made.',
  },
  { code: 'animated_first_frame', meaning: 'The image is animated; its first frame is used.' },
];
