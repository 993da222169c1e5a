namespace Lab.Tests;

/// <summary>The repository that the tests were built from.</summary>
internal static class Documents
{
    public static string Root { get; } = Find(AppContext.BaseDirectory);

    private static string Find(string folder)
    {
        DirectoryInfo? at = new(folder);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Worker.sln")))
        {
            at = at.Parent;
        }

        return at?.FullName ?? throw new InvalidOperationException($"There is no Worker.sln above {folder}.");
    }
}
