using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CommandLine;

/// <summary>Reads the message for a command.</summary>
internal static class MessageFile
{
    /// <summary>The name that stands for standard input.</summary>
    public const string StandardInput = "-";

    // More than any source accepts.
    private const int MaxBytes = 256 << 20;

    /// <summary>Reads a whole file, or standard input.</summary>
    /// <param name="file">The argument of <c>--file</c>.</param>
    /// <exception cref="StartupException">It cannot be read, or has more than 256 MiB.</exception>
    public static byte[] Read(string file)
    {
        try
        {
            using Stream stream = file == StandardInput ? Console.OpenStandardInput() : File.OpenRead(file);
            using MemoryStream body = new();
            byte[] buffer = new byte[64 * 1024];
            for (int read = stream.Read(buffer); read > 0; read = stream.Read(buffer))
            {
                body.Write(buffer, 0, read);
                if (body.Length > MaxBytes)
                {
                    throw new StartupException($"--file {file}: must be a message of at most {MaxBytes >> 20} MiB.", ExitCodes.Usage);
                }
            }

            return body.ToArray();
        }
        catch (ArgumentException)
        {
            throw new StartupException($"--file {(file.Length == 0 ? "\"\"" : file)}: the file does not exist.", ExitCodes.Usage);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"--file {file}: {exception.Message}", ExitCodes.Usage);
        }
    }
}
