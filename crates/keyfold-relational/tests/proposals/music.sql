CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, Title NVARCHAR(160) NOT NULL, ArtistId INTEGER NOT NULL REFERENCES Artist (ArtistId));
CREATE TABLE Genre (GenreId INTEGER PRIMARY KEY, Name NVARCHAR(120) NOT NULL UNIQUE);
CREATE TABLE MediaType (MediaTypeId INTEGER PRIMARY KEY, Name NVARCHAR(120) NOT NULL);
CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, Name NVARCHAR(200) NOT NULL, AlbumId INTEGER REFERENCES Album (AlbumId),
  MediaTypeId INTEGER NOT NULL REFERENCES MediaType (MediaTypeId), GenreId INTEGER REFERENCES Genre (GenreId), Composer NVARCHAR(220),
  Milliseconds INTEGER NOT NULL, Bytes INTEGER, UnitPrice NUMERIC(10,2) NOT NULL);
CREATE TABLE Playlist (PlaylistId INTEGER PRIMARY KEY, Name NVARCHAR(120) NOT NULL);
CREATE TABLE PlaylistTrack (PlaylistId INTEGER NOT NULL REFERENCES Playlist (PlaylistId), TrackId INTEGER NOT NULL REFERENCES Track (TrackId),
  PRIMARY KEY (PlaylistId, TrackId));
CREATE TABLE Employee (EmployeeId INTEGER PRIMARY KEY, LastName NVARCHAR(20) NOT NULL, FirstName NVARCHAR(20) NOT NULL,
  ReportsTo INTEGER REFERENCES Employee (EmployeeId), HireDate DATETIME, Email NVARCHAR(60) UNIQUE COLLATE NOCASE);
CREATE TABLE Customer (CustomerId INTEGER PRIMARY KEY, FirstName NVARCHAR(40) NOT NULL, LastName NVARCHAR(20) NOT NULL, Country NVARCHAR(40),
  Email NVARCHAR(60) NOT NULL UNIQUE, SupportRepId INTEGER REFERENCES Employee (EmployeeId));
CREATE TABLE Invoice (InvoiceId INTEGER PRIMARY KEY, CustomerId INTEGER NOT NULL REFERENCES Customer (CustomerId), InvoiceDate DATETIME NOT NULL,
  BillingCity NVARCHAR(40), State TEXT NOT NULL DEFAULT 'open' CHECK (State IN ('open', 'paid', 'void')), Total NUMERIC(10,2) NOT NULL CHECK (Total >= 0));
CREATE TABLE InvoiceLine (InvoiceLineId INTEGER PRIMARY KEY, InvoiceId INTEGER NOT NULL REFERENCES Invoice (InvoiceId) ON DELETE CASCADE,
  TrackId INTEGER NOT NULL REFERENCES Track (TrackId), UnitPrice NUMERIC(10,2) NOT NULL, Quantity INTEGER NOT NULL DEFAULT 1);
INSERT INTO Artist VALUES (1, 'AC/DC'), (2, NULL), (3, 'Björk #1');
INSERT INTO Album VALUES (1, 'For Those About', 1), (2, 'Homogenic', 3);
INSERT INTO Genre VALUES (1, 'Rock'), (2, 'Pop');
INSERT INTO MediaType VALUES (1, 'MPEG'), (2, 'AAC');
INSERT INTO Track VALUES (1, 'One', 1, 1, 1, NULL, 343719, 11170334, 0.99), (2, 'Two', 2, 2, NULL, 'B', 1, NULL, 1), (3, 'Three', NULL, 1, 2, '', 9, 0, 12.5);
INSERT INTO Playlist VALUES (1, 'Music'), (2, 'Music');
INSERT INTO PlaylistTrack VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO Employee VALUES (1, 'Adams', 'Andrew', NULL, '2002-08-14 00:00:00', 'A@x.org'), (2, 'Edwards', 'Nancy', 1, NULL, NULL);
INSERT INTO Customer VALUES (1, 'Luís', 'G', 'Brazil', 'luis@x.org', 2), (2, 'Leonie', 'K', NULL, 'leo#k@x.org', NULL);
INSERT INTO Invoice VALUES (1, 1, '2009-01-01 00:00:00', 'Oslo', 'paid', 1.98), (2, 1, '2009-02-01 10:30:00.125', NULL, 'open', 0), (3, 2, '2010-01-01 00:00:00', 'Rome', 'void', 13.86);
INSERT INTO InvoiceLine VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1), (3, 3, 3, 13.86, 1);
