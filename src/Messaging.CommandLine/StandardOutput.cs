using System.Runtime.InteropServices;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// Finds that nothing reads standard output any more, such as after <c>dead-letters list | head -5</c>: .NET ignores the broken pipe, and a command that
/// waits between its lines would go on.
/// </summary>
internal static class StandardOutput
{
    private const int Descriptor = 1;

    // Error, hang-up or invalid descriptor, as poll(2) reports them: the same on Linux and macOS.
    private const short Closed = 0x08 | 0x10 | 0x20;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    /// <summary>True when the reader of a pipe or terminal is gone, or the descriptor is closed. Always false on Windows, where a write fails.</summary>
    public static bool IsClosed
    {
        get
        {
            PollDescriptor output = new() { Descriptor = Descriptor };
            return TolerantWriter.IsClosed
                || (!OperatingSystem.IsWindows() && Poll(ref output, 1, timeoutMilliseconds: 0) > 0 && (output.Returned & Closed) != 0);
        }
    }

    /// <summary>Runs a command that only prints, and ends it when its output is closed. That is no error: its reader has seen enough.</summary>
    public static async Task<int> RunAsync(Func<CancellationToken, Task<int>> command, CancellationToken cancellationToken)
    {
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await using Timer watch = new(
            static state =>
            {
                if (IsClosed)
                {
                    ((CancellationTokenSource)state!).Cancel();
                }
            },
            end,
            Interval,
            Interval);
        try
        {
            int code = await command(end.Token);
            return IsClosed ? ExitCodes.Success : code;
        }
        catch (OperationCanceledException) when (IsClosed)
        {
            return ExitCodes.Success;
        }
    }

    [DllImport("libc", EntryPoint = "poll")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll(ref PollDescriptor descriptors, nuint count, int timeoutMilliseconds);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Requested;
        public short Returned;
    }
}
