namespace Quayside.Messaging.Console;

/// <summary>Commands of this program as an operator can run them beside it.</summary>
internal static class PrintedCommand
{
    private const int UsualPort = 8080;

    /// <summary>The program, as it can be called from any folder: its file, or the runtime with its assembly.</summary>
    public static readonly string Program = Path.GetFileNameWithoutExtension(Environment.ProcessPath) is "dotnet" or null
        ? $"dotnet {Quoted(Path.GetFullPath(Environment.GetCommandLineArgs()[0]))}"
        : Quoted(Environment.ProcessPath!);

    /// <summary>The option with the file of this process' own settings, after a space; empty without one.</summary>
    public static readonly string Config = ConfigOf(Environment.GetCommandLineArgs());

    /// <summary>The option with the file that a command line names, after a space; empty without one.</summary>
    public static string ConfigOf(IReadOnlyList<string> arguments)
    {
        for (int i = 1; i < arguments.Count; i++)
        {
            string[] parts = arguments[i].Split('=', 2);
            if (parts[0] is "--config" or "-c" && (parts.Length == 2 ? parts[1] : arguments.ElementAtOrDefault(i + 1)) is { Length: > 0 } file)
            {
                return $" --config {Quoted(Path.GetFullPath(file))}";
            }
        }

        return string.Empty;
    }

    /// <summary>A command that asks a running worker.</summary>
    /// <param name="arguments">The command and its arguments.</param>
    /// <param name="worker">The worker's address; it is left out where the command finds the worker without it.</param>
    public static string Of(string arguments, Uri worker)
    {
        bool isUsual = worker is { Port: UsualPort or 0, Host: "127.0.0.1" or "localhost" or "0.0.0.0" or "[::]" };
        return $"{Program} {arguments}{Config}{(isUsual ? string.Empty : $" --url {worker.GetLeftPart(UriPartial.Authority)}")}";
    }

    private static string Quoted(string path) => path.Contains(' ', StringComparison.Ordinal) ? $"\"{path}\"" : path;
}
