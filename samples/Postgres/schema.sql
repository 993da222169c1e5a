CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY, customer text NOT NULL, total numeric(12, 2) NOT NULL CHECK (total >= 0));
CREATE TABLE IF NOT EXISTS clicks (id uuid PRIMARY KEY, page text NOT NULL CHECK (page LIKE '/%'), at timestamptz NOT NULL);
