namespace Integration.Tests;

/// <summary>Finds files of the repository from the output folder of the tests.</summary>
internal static class RepositoryFolder
{
    private static readonly Lazy<string> RootFolder = new(FindRoot);

    public static string Root => RootFolder.Value;

    public static string Combine(params ReadOnlySpan<string> parts) => Path.Combine([Root, .. parts]);

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Worker.sln")))
            {
                return folder.FullName;
            }
        }

        throw new DirectoryNotFoundException($"No folder above {AppContext.BaseDirectory} holds Worker.sln.");
    }
}
