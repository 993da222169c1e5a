namespace Worker.CommandLine;

/// <summary>What became of a redrive.</summary>
/// <param name="Found">Letters that matched.</param>
/// <param name="Sent">Of those, the ones that went back.</param>
/// <param name="FirstError">Why the first that did not go back stays; null when all went.</param>
internal readonly record struct RedriveResult(int Found, int Sent, string? FirstError);
