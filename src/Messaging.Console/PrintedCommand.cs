namespace Quayside.Messaging.Console;

/// <summary>Commands of this program as an operator can run them beside it.</summary>
internal static class PrintedCommand
{
    private const int UsualPort = 8080;

    /// <summary>The program: its file, or the runtime with its assembly.</summary>
    public static readonly string Program = Path.GetFileNameWithoutExtension(Environment.ProcessPath) is { } file && file != "dotnet"
        ? file
        : $"dotnet {Path.GetFileName(Environment.GetCommandLineArgs()[0])}";

    /// <summary>A command that asks a running worker.</summary>
    /// <param name="arguments">The command and its arguments.</param>
    /// <param name="worker">The worker's address; it is left out where the command finds the worker without it.</param>
    public static string Of(string arguments, Uri worker)
    {
        bool isUsual = worker is { Port: UsualPort or 0, Host: "127.0.0.1" or "localhost" or "0.0.0.0" or "[::]" };
        return isUsual ? $"{Program} {arguments}" : $"{Program} {arguments} --url {worker.GetLeftPart(UriPartial.Authority)}";
    }
}
