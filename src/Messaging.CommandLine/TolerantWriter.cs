using System.Text;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// Standard output or error that may be closed or full. Text that cannot be written is dropped, because no report is worth ending a running worker. .NET
/// itself ignores a broken pipe.
/// </summary>
internal sealed class TolerantWriter(TextWriter inner, bool isOutput) : TextWriter
{
    /// <summary>Why a text was lost, such as a full disk, so that a command's output is incomplete; null while all was written.</summary>
    public static string? Failure { get; private set; }

    /// <summary>True once a write found that the caller has closed standard output.</summary>
    public static bool IsClosed { get; private set; }

    public override Encoding Encoding => inner.Encoding;

    /// <summary>Wraps standard output and standard error.</summary>
    public static void Install()
    {
        Console.SetOut(new TolerantWriter(Console.Out, isOutput: true));
        Console.SetError(new TolerantWriter(Console.Error, isOutput: false));
    }

    public override void Write(char value) => Try(static (writer, character) => writer.Write(character), value);

    public override void Write(char[] buffer, int index, int count) =>
        Try(static (writer, piece) => writer.Write(piece.buffer, piece.index, piece.count), (buffer, index, count));

    public override void Write(string? value) => Try(static (writer, text) => writer.Write(text), value);

    public override void WriteLine(string? value) => Try(static (writer, text) => writer.WriteLine(text), value);

    public override void Flush() => Try(static (writer, _) => writer.Flush(), 0);

    private void Try<TState>(Action<TextWriter, TState> write, TState state)
    {
        try
        {
            write(inner, state);
        }
        catch (IOException exception)
        {
            Failure ??= exception.Message;
        }
        catch (UnauthorizedAccessException)
        {
            // EBADF: the caller has closed it, and the runtime has opened a file under its number.
            IsClosed |= isOutput;
        }
    }
}
