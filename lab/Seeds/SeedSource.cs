namespace Lab.Seeds;

/// <summary>A talk or an article in which figures were published.</summary>
/// <param name="Name">The name by which tables refer to it.</param>
/// <param name="Title">Its title.</param>
/// <param name="Author">The speaker or author.</param>
/// <param name="Machine">The machine that its figures are from, as far as the source says.</param>
internal sealed record SeedSource(string Name, string Title, string Author, string Machine);
